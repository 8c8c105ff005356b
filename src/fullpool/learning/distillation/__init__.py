"""Multi-teacher policy distillation with a replay of sequences."""
