"""Dual-clip PPO with several value heads."""
