"""Arrays in, arrays out: returns, losses, distributions, ratings and running statistics. No state but where named."""
