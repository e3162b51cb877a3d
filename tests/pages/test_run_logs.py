"""The logs page: whose lines it shows, what it says of a job's end, and that a log cannot break or flood it."""

import csv
import io
import re

import pytest

from sitegen.model.run import JobEnd, LogEvent, RunSettings, SourceUse
from sitegen.pages.log_entries import log_anchors
from sitegen.pages.run_jobs import jobs_view
from sitegen.pages.run_logs import MOST_GROUPS, run_logs
from sitegen.pages.run_view import Voice
from tests.factories import make_job, make_run, make_series
from tests.pages.run_fixture import files, given, read

LOG = "run/logs/a_1001.out"
KILLED = JobEnd(cause="out_of_memory", path=LOG, line=90, text="slurmstepd: error: Detected 1 oom_kill event")
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in run\nKeyError: 7'


def event(**fields):
    plain = {"job": "a_1001", "level": "error", "count": 1, "first_line": 5, "last_line": 5, "path": LOG}
    told = plain | {"shape": "disk N is full", "example": "disk 3 is full"} | fields
    return LogEvent(**told)


def used(path, reader="console"):
    return SourceUse(path=path, size=10, reader=reader, rows=0, used_for=("jobs",), note=None)


def logged_run(*events, **fields):
    """A run of one job that was killed, and one whose log says nothing."""
    other = "run/logs/a_1002.out"
    jobs = (
        make_job("a_1001", range(1, 6), end=KILLED, sources=(LOG,), started=1780650000.0, finished=1780653600.0),
        make_job("a_1002", range(6, 11), sources=(other,)),
    )
    steps = make_series("reward/avg_raw_reward", [0.1 * i for i in range(10)], job="a_1001")
    told = {"jobs": jobs, "steps": steps, "events": events, "sources": (used(LOG), used(other))}
    return make_run(**told | fields)


def view(run, lang="en"):
    made = given(run)
    page = "runs/run/logs.html"
    return run_logs(made, Voice(lang, page), head=None)


def test_page_exists_where_a_log_was_read_or_an_event_is_known():
    quiet = make_run(jobs=(make_job("a", [1]),), sources=(used("run/t.csv", "skyrl_metrics_table"),))
    assert not [path for path in files(quiet) if path.endswith("logs.html")]
    for run in (make_run(events=(event(),)), make_run(sources=(used(LOG),))):
        made = files(run)
        assert {"runs/run/logs.html", "zh/runs/run/logs.html"} <= set(made)
        assert "logs.html" in {link.split("#")[0] for link in read(made["runs/run/index.html"]).links}


def test_single_job_is_no_plural():
    job = make_job("a_1001", [1], end=KILLED, sources=(LOG,))
    run = make_run(jobs=(job,), sources=(used(LOG),))
    assert view(run).sentence == "One job with a log; how it ended is known; no error, warning or traceback."
    assert view(run, "zh").sentence.startswith("有日志的作业 1 个，其结束原因已知")


def test_job_says_when_it_ran_how_it_ended_and_where_that_stands():
    first, second = view(logged_run(event())).jobs
    assert (first.id, first.name, first.mark.word) == ("log-1", "a_1001", "Out of memory")
    facts = first.facts.replace("\xa0", " ")
    assert facts.startswith("first line 5 Jun 2026, 09:00 UTC · last line 5 Jun 2026, 10:00 UTC · 1 h")
    assert (first.evidence, first.where) == (KILLED.text, "a_1001.out, line 90")
    assert first.files == ("logs/a_1001.out",)
    assert (second.mark.word, second.evidence, second.rows) == ("End not known", "", ())
    assert second.sentence == "no error, warning or traceback"


def test_groups_stand_worst_first_then_by_count():
    run = logged_run(
        event(level="warning", count=900, shape="w"),
        event(count=2, shape="rare"),
        event(count=7, shape="often", first_line=40, last_line=1200, first_step=3),
        event(level="traceback", example=TRACE, shape="KeyError: N"),
    )
    page = view(run)
    rows = page.jobs[0].rows
    assert [(row.mark.word, row.count) for row in rows] == [
        ("Traceback", "1"),
        ("Error", "7"),
        ("Error", "2"),
        ("Warning", "900"),
    ]
    assert (rows[1].where, rows[1].step, rows[2].where, rows[2].step) == ("40–1,200", "3", "5", "–")
    assert page.jobs[0].sentence == "tracebacks: 1 (1 distinct), errors: 9 (2 distinct), warnings: 900 (1 distinct)"
    assert page.sentence.startswith("2 jobs with a log; how 1 of them ended is known")


def test_traceback_is_told_by_its_last_line_and_folded():
    row = view(logged_run(event(level="traceback", example=TRACE))).jobs[0].rows[0]
    assert (row.line, row.whole) == ("KeyError: 7", TRACE)
    text = files(logged_run(event(level="traceback", example=TRACE)))["runs/run/logs.html"].decode()
    assert re.search(r"<details[^>]*><summary>.*?</summary><pre[^>]*>Traceback", text, flags=re.DOTALL)


def test_endless_line_is_cut_and_its_whole_text_folded():
    row = view(logged_run(event(example="x" * 4000))).jobs[0].rows[0]
    assert (len(row.line), row.line[-1], row.whole) == (241, "…", "x" * 4000)


def test_very_many_groups_are_cut_per_job_and_whole_in_the_csv():
    shapes = [event(shape=f"shape {i}", example=f"example {i}", first_line=i) for i in range(1, 101)]
    run = logged_run(*shapes)
    job = view(run).jobs[0]
    assert len(job.rows) == MOST_GROUPS
    assert job.more == "60 more groups are in the table of all groups:"
    made = files(run)
    rows = list(csv.DictReader(io.StringIO(made["runs/run/data/log_events.csv"].decode())))
    assert len(rows) == 100
    assert rows[99] == {"job": "a_1001", "level": "error", "count": "1", "first_line": "100", "last_line": "5"} | {
        "first_step": "",
        "path": LOG,
        "shape": "shape 100",
        "example": "example 100",
    }


def test_strip_places_groups_on_the_steps_of_the_run():
    run = logged_run(event(first_step=1), event(level="warning", first_step=10), event(first_step=1))
    strip = view(run).jobs[0].strip
    assert (strip.x, strip.width) == ("0%", "50%")
    assert [(tick.x, tick.bad) for tick in strip.ticks] == [("5%", True), ("95%", False)]
    assert view(logged_run(event())).jobs[0].strip is None


def test_two_logs_of_one_job_name_the_file_of_each_group():
    err = "run/logs/a_1001.err"
    job = make_job("a_1001", [1], sources=(LOG, err))
    run = make_run(jobs=(job,), sources=(used(LOG), used(err)), events=(event(), event(path=err, count=2)))
    shown = view(run).jobs
    assert [entry.files for entry in shown] == [("logs/a_1001.err", "logs/a_1001.out")]
    assert [row.where for row in shown[0].rows] == ["a_1001.err:5", "a_1001.out:5"]


def test_log_of_no_job_is_shown_without_an_end():
    shown = view(logged_run(event(job="b_7", path="run/logs/b_7.out"))).jobs
    assert [(entry.name, entry.mark is None) for entry in shown] == [
        ("a_1001", False),
        ("a_1002", False),
        ("b_7", True),
    ]


def test_overview_links_each_job_to_its_entry():
    run = logged_run(event())
    assert log_anchors(run) == {"a_1001": "log-1", "a_1002": "log-2"}
    rows = jobs_view(given(run), Voice("zh", "runs/run/index.html")).rows
    assert [(row.mark.word, row.log) for row in rows] == [
        ("内存不足", "logs.html#log-1"),
        ("结束原因未知", "logs.html#log-2"),
    ]
    made = files(run)
    for lang in ("", "zh/"):
        assert {"logs.html#log-1", "logs.html#log-2"} <= set(read(made[f"{lang}runs/run/index.html"]).links)
        assert {"log-1", "log-2"} <= set(read(made[f"{lang}runs/run/logs.html"]).ids)


@pytest.mark.parametrize(
    "hostile", ["</pre><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\x1b[31mred\x00"]
)
def test_log_lines_are_text_whatever_they_hold(hostile):
    made = files(logged_run(event(example=hostile), event(level="traceback", example=f"Traceback\n{hostile}")))
    page = read(made["runs/run/logs.html"])
    text = made["runs/run/logs.html"].decode()
    assert not {"img", "style"} & set(page.tags)
    assert not [name for _, name in page.attributes if name == "style" or name.startswith("on")]
    assert "alert(1)" not in "".join(re.findall(r"<script\b[^>]*>(.*?)</script>", text, flags=re.DOTALL))
    assert not {"\x1b", "\x00"} & set(text)


def test_times_of_a_clock_without_a_zone_are_said_to_be_taken_as_utc():
    jobs = tuple(
        make_job(name, steps, started=start, finished=start + 3600.0)
        for name, steps, start in (("a_1001", [1, 2], 1780650000.0), ("a_1002", [3, 4], 1780660000.0))
    )
    run = logged_run(jobs=jobs, facts={"clock_assumed_utc": True})
    said = " Times are those that the logs print; they name no time zone and are taken as UTC."
    assert jobs_view(given(run), Voice("en", "runs/run/index.html")).sentence.endswith(said)
    assert jobs_view(given(run), Voice("zh", "zh/runs/run/index.html")).sentence.endswith("，按 UTC 处理。")
    for other in (logged_run(jobs=jobs), logged_run(facts={"clock_assumed_utc": True})):  # a zone named; no time axis
        assert "UTC" not in jobs_view(given(other), Voice("en", "runs/run/index.html")).sentence


def test_a_log_that_rounds_says_so_above_its_metrics():
    run = logged_run(facts={"rounded_decimals": 4})
    pages = files(run)
    said = "4 decimals: 0 stands for anything smaller than 0.00005"
    assert said in read(pages["runs/run/metrics.html"]).text
    assert said not in read(pages["runs/run/index.html"]).text
    assert "4 位小数：0 表示小于 0.00005 的任何数" in read(pages["zh/runs/run/metrics.html"]).text
    assert said not in read(files(logged_run())["runs/run/metrics.html"]).text


def test_the_address_at_wandb_is_a_link_and_nothing_else_of_a_file_is():
    address = "https://wandb.ai/team/rl-4/runs/a1b2-c3"
    links = read(files(logged_run(facts={"wandb_url": address}))["runs/run/index.html"]).links
    assert links.count(address) == 1
    for odd in ("javascript:alert(1)", f"{address}?token=abc", "https://wandb.ai/a b/c/runs/d", 7):
        page = read(files(logged_run(facts={"wandb_url": odd}))["runs/run/index.html"])
        assert str(odd) not in page.links
    named = RunSettings(links={"Tracker": address})
    links = read(files(logged_run(facts={"wandb_url": address}, settings=named))["runs/run/index.html"]).links
    assert links.count(address) == 1
