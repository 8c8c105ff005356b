"""The command `fullpool`: one file a command; heavy imports stay inside the commands."""

import click

cli = click.Group(name="fullpool")
"""Kedro looks here for commands that a project adds to `kedro`: none."""
