"""Tables of metrics of unknown writers. Values worked out by hand."""

import pandas as pd

from sitegen.readers import READERS
from tests.readers.sources import kinds, read_bytes, read_fixture, source_of


def test_keras_counts_epochs_and_that_is_a_guess():
    result = read_fixture("generic_csv", "keras_counts_epochs")
    assert result.steps["step"].tolist() == [0, 1]
    assert result.steps["row"].tolist() == [2, 3]
    assert result.steps["accuracy"].tolist() == [0.5, 0.75]
    assert result.nonfinite[["step", "metric", "value"]].values.tolist() == [[1, "loss", "nan"]]
    assert kinds(result) == {"tracker.step-guessed": None}


def test_bom_crlf_and_quotes_change_nothing():
    result = read_fixture("generic_csv", "bom_crlf_and_quotes")
    assert result.steps["step"].tolist() == [1, 2, 3]
    assert result.steps["time/fps"].iloc[0] == 12.5
    assert result.steps["time/fps"].isna().tolist() == [False, True, True]
    assert kinds(result) == {"tracker.step-guessed": None, "table.text-ignored": 4, "table.text-column": None}


def test_changed_and_repeated_headers_are_no_rows_and_shift_nothing():
    result = read_fixture("generic_csv", "columns_change_and_header_again")
    assert result.steps["step"].tolist() == [1, 2, 3]
    assert result.steps["loss"].tolist() == [0.5, 0.25, 0.125]
    assert pd.isna(result.steps["kl"].iloc[0])
    assert result.steps["kl"].iloc[2] == 0.5
    assert set(kinds(result)) == {
        "table.repeated-header",
        "table.changed-header",
        "table.short-row",
        "tracker.step-guessed",
    }


def test_moments_become_the_clock():
    result = read_fixture("generic_csv", "moments_of_each_row")
    assert result.steps["time"].tolist() == [1777138026.5, 1777138036.5]
    assert "_timestamp" not in result.steps.columns


def test_a_header_over_several_lines_or_with_nul_bytes_is_read(tmp_path):
    broken = read_bytes(tmp_path, "progress.csv", b'\n"lo\r\nss",iteration\r\n0.5,1\r\n0.25,2\r\n')
    assert broken.steps[["step", "lo ss", "row"]].values.tolist() == [[1, 0.5, 4], [2, 0.25, 5]]
    assert kinds(broken) == {"table.name-line-break": 2, "tracker.step-guessed": None}
    mended = read_bytes(tmp_path, "log.csv", b"step\0,lo\0ss\n1,0.5\n2,0.25\n")
    assert mended.steps[["step", "loss", "row"]].values.tolist() == [[1, 0.5, 2], [2, 0.25, 3]]
    assert kinds(mended) == {"table.nul-in-header": 1}


def test_tables_of_known_writers_are_left_to_their_readers(tmp_path):
    for name, content, reader in (
        ("metrics.csv", "step,loss\n1,2\n", "skyrl_metrics_table"),
        ("metrics.csv", "iteration,loss\n1,2\n", "generic_csv"),
        ("log.csv", "step,loss\n1,2\n", "generic_csv"),
        ("log.csv", "name,loss\na,2\n", None),
    ):
        location = tmp_path / name
        location.write_text(content)
        claims = [item.name for item in READERS if item.claims(source_of(location))]
        assert claims == ([reader] if reader else [])


def test_a_step_that_is_no_whole_number_costs_its_row(tmp_path):
    result = read_bytes(tmp_path, "progress.csv", b"iteration,loss\n1,0.5\n1.5,0.25\n,0.125\n2,1\n")
    assert result.steps["step"].tolist() == [1, 2]
    assert result.steps["row"].tolist() == [2, 5]
    assert result.steps["loss"].tolist() == [0.5, 1.0]
    assert kinds(result)["tracker.bad-step"] == 3
