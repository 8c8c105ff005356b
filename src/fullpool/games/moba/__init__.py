"""The 5v5 MOBA: forty heroes, three lanes, fog, and bots, simulated in batches."""
