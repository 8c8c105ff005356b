"""Checks that every relative link in the project's pages points at a file that exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|src=\"([^\"]+)\"")


def broken_links(page: Path) -> list[str]:
    """Lists a page's relative links that lead nowhere."""
    targets = [a or b for a, b in LINK.findall(page.read_text(encoding="utf-8"))]
    relative = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    return [target for target in relative if not (page.parent / target).exists()]


def main() -> int:
    """Prints broken links; returns how many there are."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    broken = [(name, link) for name in listed.stdout.split() for link in broken_links(ROOT / name)]
    for name, link in broken:
        print(f"{name}: {link} does not exist")
    return len(broken)


if __name__ == "__main__":
    sys.exit(main())
