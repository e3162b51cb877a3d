"""Figures that a training leaves when it has ended: they have no step, so they are told and placed nowhere."""

import pytest

from tests.readers.sources import BY_NAME, kinds, read_fixture, source_of


def test_figures_are_told_with_their_values():
    result = read_fixture("final_results", "figures_without_a_step")
    assert (result.steps, result.nonfinite, result.rows) == (None, None, 0)
    (told,) = result.problems
    assert (told.kind, told.severity) == ("final-results.no-step", "info")
    assert told.what.en == (
        "Final figures without a step: 4"
        " (eval_loss = 0.4375, total_flos = 1.5e+17, train_loss = nan, train_runtime = 100.25)."
    )


@pytest.mark.parametrize(
    ("oddity", "kind"),
    [("cut_off", "final-results.broken"), ("empty", "file.empty"), ("lfs-pointer", "file.lfs-pointer-of-size")],
)
def test_a_file_that_is_not_whole_is_named(oddity, kind):
    assert kinds(read_fixture("final_results", oddity)) == {kind: None}


@pytest.mark.parametrize(
    ("name", "content", "claimed"),
    [
        ("eval_results.json", '{"epoch": 1.0, "eval_loss": 0.5}', True),
        ("eval_results.json", '{"results": {"aime": {"acc": 0.5}}}', False),
        ("my_results.json", '{"train_loss": 0.5}', False),
    ],
)
def test_results_of_other_programs_are_left_alone(tmp_path, name, content, claimed):
    location = tmp_path / name
    location.write_text(content)
    assert BY_NAME["final_results"].claims(source_of(location)) is claimed
