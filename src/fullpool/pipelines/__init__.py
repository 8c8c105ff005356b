"""Kedro pipelines, one folder each, and what they share: stages that resume, tracking, runs."""
