"""Curriculum self-play: line-up search, the three phases as generators, the convergence rule."""
