"""Benches: how fast the simulator, its compilation, training and drafting are on this machine."""
