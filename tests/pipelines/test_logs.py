"""A log file holds one message a line; a terminal keeps rich's."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest
import rich
from rich.console import Console
from rich.logging import RichHandler

from fullpool.pipelines import logs

LONG = "a message with many words, far beyond the eighty columns of a terminal: " + "word " * 60 + "[0, 1]"


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    """The root logger with rich's handler only."""
    found = logging.getLogger()
    before, level = list(found.handlers), found.level
    found.handlers[:] = [RichHandler(level=logging.INFO, show_path=False)]
    found.setLevel(logging.INFO)
    yield found
    found.handlers[:] = before
    found.setLevel(level)


def test_a_message_is_one_line_with_time_and_level(
    root: logging.Logger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rich, "_console", Console(force_terminal=False))
    logs.install()
    logging.getLogger("fullpool.x").info("%s", LONG)
    logging.getLogger("other").warning("two\n  lines")
    logging.getLogger("other").debug("nobody asked")
    first, second = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO    " + re.escape(LONG), first)
    assert second.endswith(" WARNING two lines")
    logs.install()
    kinds = [type(handler) for handler in root.handlers]
    assert kinds.count(logs.LineHandler) == 1
    assert RichHandler not in kinds


def test_a_traceback_stays_behind_its_message(
    root: logging.Logger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rich, "_console", Console(force_terminal=False))
    logs.install()
    try:
        raise KeyError("x")
    except KeyError:
        logging.getLogger("other").exception("broken")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("ERROR   broken")
    assert lines[1].startswith("Traceback")
    assert lines[-1] == "KeyError: 'x'"


def test_a_terminal_keeps_its_handler(root: logging.Logger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rich, "_console", Console(force_terminal=True))
    before = list(root.handlers)
    logs.install()
    assert root.handlers == before
