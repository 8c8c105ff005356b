"""fullpool: one agent for a whole pool of heroes, and a drafter for them."""

__version__ = "0.1.0"
