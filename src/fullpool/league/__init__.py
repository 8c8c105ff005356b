"""Who meets whom, and how strong they are: population, matchmaking, payoff, ratings, evaluation by games."""
