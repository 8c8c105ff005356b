"""A toy Kedro project: a random walk in generations, and a second stage that adds it up."""
