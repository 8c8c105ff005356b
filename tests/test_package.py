"""What importing the package sets before torch is imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("named", "expected"), [(None, "1"), ("2", "2")])
def test_torch_gets_one_thread_unless_the_user_says_otherwise(named: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    if named is not None:
        environment["OMP_NUM_THREADS"] = named
    program = "import fullpool, torch; print(torch.get_num_threads())"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == expected
