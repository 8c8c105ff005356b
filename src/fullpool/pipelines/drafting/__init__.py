"""Drafts by the search, the value network that learns from them, and the tournament of all strategies."""
