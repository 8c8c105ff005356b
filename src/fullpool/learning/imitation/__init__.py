"""Behaviour cloning of scripted bots: a short start before self-play."""
