"""The figures that are shown first."""

from __future__ import annotations

from fullpool.pipelines.headlines import NUM_SHOWN, agent_steps, by_group, headline, results, size_note


def test_one_of_each_kind_comes_before_the_second_of_one() -> None:
    figures = {"zeta": 1.0, "elo_g1": 2.0, "elo_low_g1": 2.5, "win_rate_vs_random": 3.0, "entropy": 4.0}
    assert list(headline(figures)) == ["elo_g1", "win_rate_vs_random", "entropy", "elo_low_g1"]


def test_without_headlines_the_first_figures_are_shown() -> None:
    assert list(headline({f"x{i}": 1.0 for i in range(20)})) == [f"x{i}" for i in range(NUM_SHOWN)]
    assert headline({}) == {}


def test_a_figure_comes_before_those_that_begin_like_it_and_before_ends_of_intervals() -> None:
    figures = {"log_loss_majority": 1.0, "log_loss": 2.0, "win_rate_a_low": 0.1, "win_rate_a": 0.2}
    assert list(headline(figures)) == ["win_rate_a", "log_loss", "log_loss_majority", "win_rate_a_low"]


def test_results_have_elo_a_phase_win_rates_predictor_and_draft() -> None:
    gains = {"elo_g1": 300.0, "elo_phase_gain_g1": 250.0, "elo_phase_gain_low_g1": 200.0}
    pair = "uct_value_vs_highest_win_rate"
    found = results(
        {
            "teachers": {**gains, "elo_phase_gain_high_g1": 310.0},
            "evaluation": {"elo_merged": 400.0, "elo_noop": 0.0, "elo_laner": 500.0, "win_rate_vs_noop": 0.99}
            | {"student_vs_teacher_g1": 0.4, "elo_merged_low": 350.0, "elo_merged_high": 440.0}
            | {"win_rate_vs_noop_low": 0.98, "win_rate_vs_noop_high": 0.996, "num_games": 500.0},
            "winrate": {"log_loss": 0.65, "log_loss_majority": 0.69, "vs_majority": -0.04}
            | {"vs_majority_low": -0.05, "vs_majority_high": -0.03, "accuracy": 0.6},
            "drafting": {f"{kind}_{pair}{end}": 0.7 for kind in ("predicted", "played")
                         for end in ("", "_low", "_high")},
        }
    )  # fmt: skip
    assert [(line.subject, line.text) for line in found] == [
        ("Elo gained, teachers g1", "+250 [+200, +310], to 300"),
        ("Elo, laner", "500"),
        ("Elo, merged", "400 [350, 440]"),
        ("Elo, noop", "0"),
        ("merged v noop", "0.990 [0.980, 0.996], 500 games"),
        ("student v teacher_g1, its line-up", "0.400, 500 games"),
        ("predictor, log-loss", "0.6500, majority 0.6900"),
        ("  difference to majority", "-0.0400 [-0.0500, -0.0300]"),
        ("predictor", "accuracy 0.600"),
        (
            "draft, uct_value v highest_win_rate",
            "predicted 0.700 [0.700, 0.700], played 0.700 [0.700, 0.700]",
        ),
    ]
    assert results({"merged": {"entropy": 1.0}}) == []


def test_an_evaluation_without_intervals_still_has_its_lines() -> None:
    found = results({"evaluation": {"elo_merged": 400.0, "win_rate_vs_noop": 0.99}})
    assert [(line.subject, line.text) for line in found] == [
        ("Elo, merged", "400"),
        ("merged v noop", "0.990"),
    ]


def test_a_stages_figures_are_parted_by_teachers_groups() -> None:
    figures = {"agent_steps_g11": 3.0, "elo_g11": 4.0, "agent_steps_g1": 1.0, "elo_g1": 2.0}
    parts = by_group(figures)
    assert list(parts) == ["g1", "g11"]
    assert parts == {"g1": {"agent_steps": 1.0, "elo": 2.0}, "g11": {"agent_steps": 3.0, "elo": 4.0}}
    for whole in ({"agent_steps": 1.0, "elo": 2.0}, {"win_rate_g1": 0.5}, {}):
        assert by_group(whole) == {"": whole}


def test_little_learning_is_called_toy_size() -> None:
    figures = {"teachers": {"agent_steps_g1": 3e5, "agent_steps_g2": 3e5}, "student": {"agent_steps": 3e5}}
    assert agent_steps({**figures, "merged": {"replay_agent_steps": 9e9}}) == 9e5
    assert size_note(9e5) == "900,000 agent-steps in all; toy size: below 1,000,000 figures mean nothing"
    assert size_note(2e6) == "2,000,000 agent-steps in all"
    assert size_note(0) == ""
