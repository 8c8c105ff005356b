"""A Kedro project with fullpool's own pipelines on the toy game."""
