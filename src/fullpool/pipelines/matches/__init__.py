"""Matches that the final agent plays against itself, recorded for the drafting stages."""
