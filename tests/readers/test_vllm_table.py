"""The engine table: per-engine averages, clocks without a year."""

from datetime import UTC, datetime

import numpy as np
import pytest

from sitegen.readers.log_clock import ASSUMED_YEAR, assumed_times, dated_times
from sitegen.readers.vllm_table import READER
from tests.readers.sources import SAMPLES, kinds, read_fixture, source_of


def read(oddity):
    return read_fixture("vllm_table", oddity)


def test_averages_per_engine_are_taken_and_sums_are_not():
    engines = read("plain").engines
    first = engines.iloc[0]
    assert first["job"] == "r_1"
    assert first["row"] == 2
    assert first["clock"] == "06-01 10:00:00"
    assert first["engine"] is None
    expected = {
        "engines_reporting": 2,
        "prompt_tps": 10,
        "generation_tps": 500,
        "running": 5,
        "waiting": 2,
        "kv_cache_pct": 40.5,
        "prefix_hit_pct": 80.5,
        "running_min": 3,
        "running_max": 7,
        "generation_tps_min": 450,
        "generation_tps_max": 550,
    }
    assert {name: first[name] for name in expected} == expected
    assert np.isnan(first["preemptions"])
    assert not [name for name in engines.columns if name.startswith("total")]
    assert engines["time"].diff().tolist()[1] == 10


def test_times_over_new_year_keep_their_order():
    engines = read("new-year").engines
    january, end, day_before = engines["time"]
    assert january - end == 10
    assert end - day_before == 86400 + 43200 - 5


def test_a_time_that_is_none_is_said_and_the_sample_kept():
    result = read("no-time")
    assert result.engines["clock"].tolist() == [None, "06-31 10:00:00", "06-01 10:00:00"]
    assert np.isnan(result.engines["time"]).tolist() == [True, True, False]
    assert kinds(result) == {"table.bad-clock": 2}


def test_the_job_of_a_per_log_table_is_in_its_name():
    assert read("one-log").engines["job"].tolist() == ["r_1"]


def test_a_cut_row_is_left_out():
    result = read("last-row-cut")
    assert len(result.engines) == 1
    assert kinds(result) == {"table.truncated": 3}


def test_columns_that_the_format_does_not_define_are_named():
    (problem,) = read("later-columns").problems
    assert problem.kind == "table.unknown-columns"
    assert "corrupted" in problem.what.en


@pytest.mark.parametrize(
    ("clocks", "later_than_first"),
    [
        (["06-01 00:00:00", "06-02 00:00:00"], [86400]),
        (["12-31 23:59:59", "01-01 00:00:00"], [1]),
        (["01-05 00:00:00", "12-20 00:00:00"], [-16 * 86400]),
        (["01-10 00:00:00", "10-10 00:00:00"], [274 * 86400]),
        (["02-28 00:00:00", "02-29 00:00:00"], [86400]),
    ],
)
def test_order_of_times_without_a_year(clocks, later_than_first):
    times = assumed_times(clocks)
    assert (times[1:] - times[0]).tolist() == later_than_first


def test_one_year_is_assumed():
    assert assumed_times(["03-01 12:00:00"]).tolist() == [datetime(ASSUMED_YEAR, 3, 1, 12, tzinfo=UTC).timestamp()]


@pytest.mark.parametrize(
    ("clock", "year"),
    [("06-05 09:00:00", 2026), ("12-31 23:00:00", 2025), ("02-28 00:00:00", 2026), ("1-5 9:00:00", 2026)],
)
def test_a_time_beside_a_dated_one_is_in_the_nearest_year(clock, year):
    near = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    (time,) = dated_times([clock], near)
    assert datetime.fromtimestamp(time, tz=UTC).year == year
    assert dated_times([None, "06-31 10:00:00", "x", clock], near).tolist()[3] == time


def test_texts_that_are_no_time_stay_without_one():
    near = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    assert np.isnan(dated_times([None, "06-31 10:00:00", "02-29 00:00:00", "x"], near)).all()


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_a_table_of_the_parser():
    (location,) = (SAMPLES / "parse_skyrl_GENERATED" / "standard").glob("*_vllm_metrics_table.csv")
    result = READER.read(source_of(location))
    assert len(result.engines) == 54
    assert result.engines["kv_cache_pct"].unique().tolist() == [28.4]
    assert result.engines.groupby("job", sort=False)["generation_tps"].mean().iloc[0] == pytest.approx(763.3, abs=0.05)
