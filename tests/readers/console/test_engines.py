"""vLLM's statistics: identities, optional tails, clocks without a year, speculative decoding."""

import numpy as np
import pytest

from tests.readers.console.logs import FIRST, logged, read, read_log
from tests.readers.sources import SAMPLES, kinds, source_of

LINE = (
    "(A pid={pid}) INFO {clock} [loggers.py:248] Engine 000: Avg prompt throughput: {prompt} tokens/s, "
    "Avg generation throughput: 5.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.5%, "
    "Prefix cache hit rate: 1.5%\n"
)


def test_an_engine_is_a_process_not_a_number():
    assert read("engine-lines").engines["engine"].tolist() == [
        "AsyncVLLMInferenceEngine/9",
        "AsyncVLLMInferenceEngine/10/10.0.0.20",
        "AsyncVLLMInferenceEngine/10/10.0.0.20",
        "APIServer/1",
        "APIServer/1#1",
        "engine-000",
        "qwen-vllm/APIServer/1",
        "engine-000",
    ]


def test_values_and_optional_tails():
    engines = read("engine-lines").engines
    first, second, third = (engines.iloc[at] for at in range(3))
    assert (first["prompt_tps"], first["generation_tps"], first["running"], first["waiting"]) == (120.5, 881, 12, 0)
    assert (first["kv_cache_pct"], first["prefix_hit_pct"], first["engines_reporting"]) == (31.2, 55, 1)
    assert np.isnan(first["preemptions"])
    assert np.isnan(first["external_prefix_hit_pct"])
    assert second["prefix_hit_pct"] == 52.1
    assert (third["preemptions"], third["corrupted"]) == (4, 1)
    assert (third["prefix_hit_pct"], third["external_prefix_hit_pct"], third["mm_hit_pct"]) == (52.2, 7.5, 9)


def test_repeats_that_ray_hid_are_counted():
    assert read("engine-lines").engines["hidden_repeats"].tolist() == [0, 6, 0, 0, 0, 0, 0, 0]


def test_order_over_new_year_is_kept():
    times = read("engine-lines").engines["time"]
    assert (times[2] - times[1], times[3] - times[2]) == (10, 10)


def test_speculative_decoding_joins_the_last_sample_of_its_engine():
    engines = read("engine-lines").engines
    assert engines["spec/mean_acceptance_length"].notna().tolist() == [False] * 3 + [True] + [False] * 4
    row = engines.iloc[3]
    assert (row["spec/accepted_tps"], row["spec/drafted_tps"]) == (5.5, 6.2)
    assert (row["spec/accepted_tokens"], row["spec/drafted_tokens"]) == (55, 62)
    assert (row["spec/acceptance_rate_0"], row["spec/acceptance_rate_1"]) == (0.903, 0.871)
    assert row["spec/draft_acceptance_pct"] == 88.7


def test_speculative_decoding_with_nan_and_new_fields_and_without_a_sample(tmp_path):
    text = (
        "(A pid=1) INFO 06-05 09:00:00 [metrics.py:1] SpecDecoding metrics: Mean acceptance length: nan, "
        "Brand new: 3.5 units, Avg Draft acceptance rate: nan%\n"
    )
    (row,) = read_log(tmp_path, text).engines.to_dict("records")
    assert (row["engine"], row["clock"], row["spec/brand_new"]) == ("A/1", "06-05 09:00:00", 3.5)
    assert np.isnan(row["spec/mean_acceptance_length"])
    assert np.isnan(row["running"])


def test_each_line_of_speculative_decoding_joins_the_sample_before_it(tmp_path):
    spec = "(A pid={pid}) INFO 06-05 09:00:00 [metrics.py:1] SpecDecoding metrics: Mean acceptance length: {value}\n"
    text = spec.format(pid=1, value=0.5)
    for at in range(6000):
        text += LINE.format(pid=at % 2, clock="06-05 09:00:00", prompt=at) + spec.format(pid=at % 2, value=at)
    text += spec.format(pid=1, value=7.5)
    engines = read_log(tmp_path, text).engines
    assert engines["row"].tolist() == [1, *range(2, 12002, 2), 12002]
    assert engines["spec/mean_acceptance_length"].tolist() == [0.5, *range(6000), 7.5]
    assert engines["prompt_tps"].tolist()[1:-1] == list(range(6000))
    assert engines["engine"].tolist()[:3] == ["A/1", "A/0", "A/1"]


def test_broken_lines_are_counted_and_unknown_tails_are_named():
    assert kinds(read("engine-lines")) == {"console.engine-line": 10, "console.engine-tail": 9}


def test_the_year_is_that_of_the_logs_own_dated_lines(tmp_path):
    text = logged("SkyRL log level set to: INFO") + LINE.format(pid=1, clock="06-05 09:00:30", prompt="1.0")
    assert read_log(tmp_path, text).engines["time"].tolist() == [FIRST + 30]


@pytest.mark.parametrize("broken", ["1.0.0", "", "."])
def test_one_broken_number_among_thousands_costs_its_own_line(tmp_path, broken):
    numbers = [f"{at}.5" for at in range(3000)]
    numbers[1234] = broken
    text = "".join(LINE.format(pid=1, clock="06-05 09:00:30", prompt=number) for number in numbers)
    result = read_log(tmp_path, text)
    assert result.engines["prompt_tps"].tolist() == [at + 0.5 for at in range(3000) if at != 1234]
    assert kinds(result) == {"console.engine-line": 1235}


def test_lines_of_different_shapes_keep_their_order(tmp_path):
    other = LINE.replace(", GPU KV", ", Preemptions: 2, GPU KV")
    text = "".join(
        (other if at % 3 else LINE).format(pid=at % 5, clock="06-05 09:00:30", prompt=at) for at in range(50)
    )
    engines = read_log(tmp_path, text).engines
    assert engines["prompt_tps"].tolist() == list(range(50))
    assert engines["row"].tolist() == list(range(1, 51))
    assert engines["preemptions"].notna().tolist() == [bool(at % 3) for at in range(50)]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample folder is not beside the repository")
def test_excerpts_of_public_logs():
    from sitegen.readers.console import READER

    result = READER.read(source_of(SAMPLES / "console" / "vllm_stat_lines_mixed_excerpts.log"))
    assert result.engines["row"].tolist() == [1, 3, 4, 5, 6, 7, 8, 9]
    assert result.engines["prompt_tps"].tolist()[:7] == [23.1, 247.0, 0.0, 17015.0, 17060.3, 15035.4, 1.0]
    assert result.engines["mm_hit_pct"].tolist()[3:6] == [9.0, 3.7, 5.7]
    assert result.problems == ()


def test_line_ends_of_windows_are_no_part_of_the_line(tmp_path):
    text = "".join(LINE.format(pid=1, clock="06-05 09:00:30", prompt=at) for at in range(30))
    result = read_log(tmp_path, text.replace("\n", "\r\n"))
    assert result.engines["prompt_tps"].tolist() == list(range(30))
    assert kinds(result) == {}


def test_digits_after_the_last_number_are_no_part_of_it(tmp_path):
    text = LINE.format(pid=1, clock="06-05 09:00:30", prompt=1)
    result = read_log(tmp_path, text + text.replace("1.5%", "1.5%9") + text)
    assert result.engines["prefix_hit_pct"].tolist() == [1.5, 1.5, 1.5]
    assert kinds(result) == {"console.engine-tail": 2}
