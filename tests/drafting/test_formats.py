from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fullpool.drafting.formats import DraftFormat, Step, format_names, load_format, parse_steps


def _shape(name: str, bans: int | None = None) -> str:
    return " ".join("FS"[s.team] + s.action[0] for s in load_format(name, bans=bans).steps)


def test_juewu_is_written_out_in_the_order_of_the_paper() -> None:
    assert _shape("juewu") == "Fp Sp Sp Fp Fp Sp Sp Fp Fp Sp"


@pytest.mark.parametrize(
    ("name", "steps", "bans"),
    [("kpl", 18, 8), ("lol", 20, 10), ("mlbb", 20, 10), ("dota2_cm_7.40", 24, 14), ("dota2_cm_7.34", 24, 14),
     ("dota2_cm_7.30", 24, 14), ("dota2_cm_7.00", 20, 10)],
)  # fmt: skip
def test_shipped_formats_have_their_published_lengths(name: str, steps: int, bans: int) -> None:
    draft_format = load_format(name)
    assert (len(draft_format.steps), draft_format.num_bans, draft_format.team_size) == (steps, bans, 5)


@given(st.integers(0, 20))
def test_hok_ranked_puts_k_bans_a_side_before_the_picks(bans: int) -> None:
    assert _shape("hok_ranked", bans).endswith(_shape("juewu"))
    assert load_format("hok_ranked", bans=bans).num_bans == 2 * bans


def test_every_shipped_format_loads() -> None:
    for name in format_names():
        draft_format = load_format(name, bans=2 if name == "hok_ranked" else None)
        draft_format.check_pool(len(draft_format.steps))


def test_unknown_format_names_close_matches() -> None:
    with pytest.raises(ValueError, match="no draft format 'juewo'; did you mean 'juewu'"):
        load_format("juewo")


def test_bans_are_asked_for_exactly_where_the_format_leaves_them_open() -> None:
    with pytest.raises(ValueError, match="give bans="):
        load_format("hok_ranked")
    with pytest.raises(ValueError, match="leave it out"):
        load_format("juewu", bans=3)
    with pytest.raises(ValueError, match=r"must lie in \[0, 20\], got 21"):
        load_format("hok_ranked", bans=21)


def test_unequal_picks_are_refused() -> None:
    with pytest.raises(ValidationError, match="the first team picks 2, the second 1"):
        DraftFormat(name="uneven", steps=parse_steps("Fp Sp Fp"))
    with pytest.raises(ValidationError, match="at least one"):
        DraftFormat(name="bans", steps=(Step(0, "ban"), Step(1, "ban")))


def test_a_pool_smaller_than_the_draft_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'lol' takes 20 heroes \(10 picks, 10 bans\), the pool holds 19"):
        load_format("lol").check_pool(19)


def test_a_step_that_is_not_understood_is_named() -> None:
    with pytest.raises(ValueError, match="got 'Xp'"):
        parse_steps("Fp Xp")


def test_a_user_adds_and_overrides_formats_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "formats.yaml"
    path.write_text("mine:\n  steps: Fp Sp\njuewu:\n  steps: (Fp Sp)x2\n")
    assert load_format("mine", extra=path).team_size == 1
    assert load_format("juewu", extra=path).team_size == 2
    path.write_text("mine:\n  steps: Fp Sp\n  pick: 3\n")
    with pytest.raises(ValueError, match=r"unknown keys \['pick'\]"):
        load_format("mine", extra=path)
    path.write_text("- Fp\n")
    with pytest.raises(ValueError, match="expected a mapping"):
        load_format("mine", extra=path)
