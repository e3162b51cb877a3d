"""Model card, checkpoint marker, exports."""

import pytest

from sitegen.readers.checkpoint_marks import EXPORT
from sitegen.readers.model_card import READER as CARD
from tests.readers.sources import BY_NAME, DATA, kinds, read_fixture, source_of


def test_front_matter_as_texts_and_lists():
    result = read_fixture("model_card", "front-matter")
    card = result.card
    assert card.base_models == ("org/base-8B",)
    assert card.datasets == ("org/one", "org/two")
    assert card.license == "apache-2.0"
    assert card.tags == ("rl", "agents")
    assert card.body == "# Card\n\nText.\n"
    assert result.document.kind == "card"
    assert result.document.markdown == card.body
    assert result.problems == ()


@pytest.mark.parametrize("oddity", ["no-front-matter", "front-matter-never-closed"])
def test_a_card_without_front_matter_is_all_body(oddity):
    result = read_fixture("model_card", oddity)
    assert dict(result.card.front_matter) == {}
    assert result.card.license is None
    assert "# Card" in result.card.body
    assert result.problems == ()


def test_what_stands_in_a_bracket_that_never_closes_is_not_a_value():
    result = read_fixture("model_card", "bracket-never-closed")
    assert kinds(result) == {"config.broken-yaml": 4}
    assert (result.card.tags, result.card.base_models) == (("a", "b"), ())


def test_broken_front_matter_is_named_by_its_line_in_the_file():
    result = read_fixture("model_card", "broken-front-matter")
    assert result.card.license == "apache-2.0"
    assert kinds(result) == {"config.broken-yaml": 4}
    assert result.card.body == "# Card\n"


def test_cards_and_configurations_are_no_evidence_of_a_run():
    for name in ("model_card", "run_config", "rl_config_json", "latest_checkpoint", "export_folder", "written_report"):
        assert not BY_NAME[name].evidence
    for name in ("skyrl_metrics_table", "vllm_table", "trial_table", "skyrl_report"):
        assert BY_NAME[name].evidence


def test_the_readme_of_an_export_is_not_the_runs_card():
    location = DATA / "model_card" / "front-matter" / "README.md"
    assert CARD.claims(source_of(location, "run/README.md"))
    assert CARD.claims(source_of(location, "checkpoints/run/README.md"))
    assert not CARD.claims(source_of(location, "run/exports/global_step_5/policy/README.md"))
    assert not CARD.claims(source_of(location, "run/wandb/run-20260101_000000-ab/files/README.md"))


@pytest.mark.parametrize(("oddity", "step"), [("no-line-end", 80), ("crlf", 80), ("words", None), ("empty", None)])
def test_the_marker_of_the_latest_checkpoint(oddity, step):
    result = read_fixture("latest_checkpoint", oddity)
    assert result.latest_checkpoint == step
    assert bool(result.problems) == (step is None)


def test_an_export_is_known_by_its_files_without_opening_them():
    assert read_fixture("export_folder", "one").export_step == 5
    weights = read_fixture("export_folder", "lfs-weights")
    assert weights.export_step == 10
    assert weights.problems == ()
    location = DATA / "export_folder" / "one" / "exports" / "global_step_5" / "policy" / "config.json"
    assert not EXPORT.claims(source_of(location, "run/config.json"))
    assert not EXPORT.claims(source_of(location, "run/exports/global_step_x/config.json"))
