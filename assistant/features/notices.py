"""Notices: what a person should know beside the answer."""

import click


def print_notice(notice: str) -> None:
    """Print what a person should know beside the answer, if there is anything."""
    if notice:
        click.echo(f"overtable: {notice}", err=True)
