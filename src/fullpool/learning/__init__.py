"""The one learning core: trajectories, rollout, checkpoints, and a folder an algorithm."""
