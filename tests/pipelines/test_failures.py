"""Errors in one line."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kedro.io import DatasetError
from kedro.validation.exceptions import ParameterValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fullpool.pipelines import failures
from fullpool.pipelines.stopping import StopRequested


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    clip: float = Field(gt=0, lt=1)


class Outer(BaseModel):
    ppo: Inner


def settings_error() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"ppo": {"clip": 2.5, "clap": 1}})
    return caught.value


def test_a_settings_error_names_key_complaint_and_value() -> None:
    line = failures.explain(settings_error())
    assert line == (
        "ppo.clip: Input should be less than 1, got 2.5; "
        "ppo.clap: there is no such setting, got 1; did you mean 'clip'?"
    )


def test_kedros_text_of_settings_errors_becomes_the_same_line() -> None:
    text = f"Parameter validation failed:\n- Parameter 'teachers': Failed to instantiate Outer: {settings_error()}"
    line = failures.explain(ParameterValidationError(text))
    assert line is not None
    assert "params:teachers.ppo.clip: Input should be less than 1, got 2.5" in line
    assert "params:teachers.ppo.clap: there is no such setting, got 1; did you mean 'clip'?" in line
    assert "https" not in line
    assert "\n" not in line


def test_a_parameter_without_a_value_is_named() -> None:
    error = ParameterValidationError(
        "Parameter validation failed:\n- Parameter 'teachers': value is None but type is not Optional"
    )
    assert failures.explain(error) == "params:teachers: value is None but type is not Optional"


def test_what_a_dataset_wraps_is_unwrapped() -> None:
    error = DatasetError("Failed while loading data from dataset X.\nboom")
    error.__cause__ = ValueError("two\n lines")
    assert failures.explain(error) == "two lines"


@pytest.mark.parametrize(
    "error", [ValueError("x"), TypeError("x"), FileNotFoundError("x"), StopRequested("x")]
)
def test_what_a_user_can_mend_has_a_line(error: Exception) -> None:
    assert failures.explain(error) == "x"


@pytest.mark.parametrize(
    "error", [AssertionError("x"), KeyError("x"), RuntimeError("x"), ZeroDivisionError("x")]
)
def test_a_mistake_of_ours_has_none(error: Exception) -> None:
    assert failures.explain(error) is None


class SafetensorError(Exception):
    """As safetensors names its own."""


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "/data/part/arrays.npz"),
        OSError("1000 requested and 480 written"),
        SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk_is_named_with_what_is_kept(error: Exception) -> None:
    wrapped = DatasetError(
        "Failed while saving data to dataset StageDataset(path='/data/walk', num_kept=2).\n..."
    )
    wrapped.__cause__ = error
    line = failures.explain(wrapped)
    assert line is not None
    path = getattr(error, "filename", None) or "/data/walk"
    assert line.startswith(
        f"{path}: the disk is full; make room and start again: the last committed generation"
    )
    assert not failures.is_refusal(wrapped)


@pytest.mark.parametrize(
    "error",
    [PermissionError(errno.EACCES, "Permission denied", "/x"), OSError(errno.EROFS, "Read-only", "/x")],
)
def test_what_may_not_be_written_is_named_with_what_is_kept(error: OSError) -> None:
    line = failures.explain(error)
    assert line is not None
    assert line.startswith("/x: it may not be read or written")
    assert "last committed generation is kept" in line
    assert not failures.is_refusal(error)


def test_other_errors_of_safetensors_are_mistakes_of_ours() -> None:
    assert failures.explain(SafetensorError("invalid header")) is None


def test_a_stop_is_told_as_one_whatever_wraps_it() -> None:
    error = RuntimeError("MLflow")
    error.__cause__ = StopRequested("stopped by SIGTERM")
    assert failures.explain(error) == "stopped by SIGTERM"
    assert not failures.is_refusal(error)


def test_what_was_asked_for_and_cannot_be_done_is_a_refusal() -> None:
    assert failures.is_refusal(ValueError("x"))
    assert not failures.is_refusal(ZeroDivisionError("x"))


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.delenv(failures.DEBUG, raising=False)
    before = sys.excepthook
    log = tmp_path / "cache" / "last_error.txt"
    failures.install(log)
    failures.install(log)
    yield log
    sys.excepthook = before


def test_an_uncaught_error_is_one_line_and_its_traceback_is_kept(
    hook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ValueError("discount must lie in [0, 1], got 1.2")
    sys.excepthook(ValueError, error, None)
    printed = capsys.readouterr().err
    assert printed.splitlines()[0] == "error: discount must lie in [0, 1], got 1.2"
    assert str(hook) in printed
    assert "ValueError: discount" in hook.read_text()


def test_a_stop_leaves_no_traceback(hook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sys.excepthook(StopRequested, StopRequested("stopped by SIGINT"), None)
    assert capsys.readouterr().err == "error: stopped by SIGINT\n"
    assert not hook.exists()


def test_a_mistake_of_ours_shows_its_traceback(hook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = ZeroDivisionError("oops")
    sys.excepthook(ZeroDivisionError, error, None)
    assert "ZeroDivisionError: oops" in capsys.readouterr().err


def test_too_little_memory_says_what_to_lower() -> None:
    line = failures.explain(MemoryError("Unable to allocate 10 TiB"))
    assert line is not None
    assert line.startswith("there is not enough memory (Unable to allocate 10 TiB); lower")
