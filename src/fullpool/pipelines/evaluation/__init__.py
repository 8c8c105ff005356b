"""Every agent of the run measured by games on reserved line-ups."""
