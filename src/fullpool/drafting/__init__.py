"""The drafting room: formats, records, win-rate predictor, value network, search, strategies, tournament."""
