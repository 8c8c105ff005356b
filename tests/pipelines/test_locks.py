"""One process a campaign."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fullpool.pipelines.locks import CampaignLock

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, time
from pathlib import Path
from fullpool.pipelines.locks import CampaignLock
lock = CampaignLock(Path(sys.argv[1]), "mine")
lock.acquire()
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_holder_is_refused_until_release(tmp_path: Path) -> None:
    first, second = CampaignLock(tmp_path, "mine"), CampaignLock(tmp_path, "mine")
    first.acquire()
    assert not second.is_free()
    with pytest.raises(ValueError, match=f"campaign 'mine' is being run by process {os.getpid()}"):
        second.acquire()
    other = CampaignLock(tmp_path, "other")
    other.acquire()
    other.release()
    first.release()
    first.release()
    second.acquire()
    second.release()
    assert first.is_free()


def test_a_lock_nobody_took_is_free(tmp_path: Path) -> None:
    assert CampaignLock(tmp_path, "mine").is_free()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        lock = CampaignLock(tmp_path, "mine")
        with pytest.raises(ValueError, match=f"process {process.pid}"):
            lock.acquire()
        process.send_signal(signal.SIGKILL)
        process.wait()
    lock.acquire()
    lock.release()


def test_a_lock_lies_where_no_cleaning_finds_it(tmp_path: Path) -> None:
    lock = CampaignLock(tmp_path, "mine")
    lock.acquire()
    (path,) = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    lock.release()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    removed = makefile.partition("\nclean:")[2].partition("\trm -rf ")[2].splitlines()[0].split()
    assert ".cache" in removed
    assert not set(path.parts) & set(removed)
    ignored = subprocess.run(["git", "check-ignore", "-q", "--no-index", str(path)], cwd=ROOT)
    assert ignored.returncode == 0
