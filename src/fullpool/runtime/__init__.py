"""Who runs where: shards of a batch as threads of one process. Learners and rollouts know nothing of it."""
