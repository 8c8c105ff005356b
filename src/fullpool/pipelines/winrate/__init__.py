"""The win-rate predictor, and what simple models make of the same matches."""
