"""Which files are console logs, and how their bytes become lines."""

import gzip
from pathlib import Path

import pytest
import zstandard

from sitegen.readers import READERS
from sitegen.readers.console import READER, stream
from sitegen.readers.console.reader import job_of
from tests.readers.console.logs import logged, read, read_log, record
from tests.readers.sources import claimant, kinds, source_of

PLAIN = "".join([record(1), logged("going on"), record(2)])


def claims(folder: Path, name: str, content: str | bytes, path: str | None = None) -> bool:
    location = folder / name
    location.write_bytes(content.encode() if isinstance(content, str) else content)
    return READER.claims(source_of(location, path))


@pytest.mark.parametrize("name", ["run.out", "run.log", "run.err", "run.txt", "RUN.OUT", "a b.log"])
def test_a_log_is_known_by_its_lines(tmp_path, name):
    assert claims(tmp_path, name, PLAIN)
    assert claims(tmp_path, f"{name}.gz", gzip.compress(PLAIN.encode()))
    assert claims(tmp_path, f"{name}.zst", zstandard.compress(PLAIN.encode()))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("requirements.txt", "numpy==2.0\npandas>=2\n"),
        ("latest_ckpt_global_step.txt", "25"),
        (
            "notes.txt",
            "2026-06-05 09:00:00 started the run\nwatch the loss, WARNING: it may grow\nERROR bars are wide\n",
        ),
        ("latex.log", "This is pdfTeX\nOverfull \\hbox\n" * 50),
        ("core.out", b"\x7fELF\x02\0\0\0" * 400),
        ("empty.log", ""),
        ("output.txt", "the model wrote a Traceback and failed\n"),
    ],
)
def test_text_that_is_no_log_does_not_make_a_folder_a_run(tmp_path, name, content):
    assert not claims(tmp_path, name, content)


@pytest.mark.parametrize("content", ["", "Loading modules\n", "ü".encode("utf-16"), b"\0\1\2"])
def test_a_file_with_a_jobs_number_is_its_log_whatever_is_in_it(tmp_path, content):
    assert claims(tmp_path, "run-a_1234567.out", content)


def test_a_marker_makes_a_log_of_one_line(tmp_path):
    assert claims(tmp_path, "x.txt", "torch.OutOfMemoryError: CUDA out of memory.\n")
    assert claims(tmp_path, "x.log", "Engine 000: Avg prompt throughput: 1.0 tokens/s\n")


@pytest.mark.parametrize("mark", ["\n", "\r\n"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_line_ends_and_encodings_change_nothing(tmp_path, mark, coding):
    result = read_log(tmp_path, PLAIN.replace("\n", mark).encode(coding))
    plain = read_log(tmp_path, PLAIN)
    assert result.steps.equals(plain.steps)
    assert result.jobs == plain.jobs
    assert result.problems == ()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_logs_are_read_as_their_content_even_in_several_parts(tmp_path, pack):
    text = PLAIN.encode()
    suffix = ".gz" if pack is gzip.compress else ".zst"
    result = read_log(tmp_path, pack(text[:100]) + pack(text[100:]), f"run-a_1234567.out{suffix}")
    assert result.steps["step"].tolist() == [1, 2]
    assert result.steps["job"].tolist() == ["run-a_1234567"] * 2
    assert result.problems == ()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_log_that_is_cut_gives_what_comes_before(tmp_path, pack):
    packed = pack("".join(record(step) for step in range(2000)).encode())
    result = read_log(tmp_path, packed[: len(packed) * 3 // 4], "run-a_1234567.out.gz")
    assert 0 < len(result.steps) < 2000
    assert "console.compressed-cut" in kinds(result)


def test_a_compressed_log_that_is_damaged_is_named(tmp_path):
    packed = bytearray(gzip.compress("".join(record(step) for step in range(2000)).encode()))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    result = read_log(tmp_path, bytes(packed), "run-a_1234567.out.gz")
    assert "console.compressed-broken" in kinds(result)


@pytest.mark.parametrize("size", [1, 7, 100, 333])
def test_records_over_the_border_of_two_blocks_are_whole(tmp_path, monkeypatch, size):
    monkeypatch.setattr(stream, "BLOCK_BYTES", size)
    result = read("legacy-blocks")
    monkeypatch.undo()
    assert result.steps.equals(read("legacy-blocks").steps)
    assert result.events == read("legacy-blocks").events
    assert result.problems == read("legacy-blocks").problems


def test_a_file_without_line_ends_is_taken_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(stream, "MAX_LINE_BYTES", 5000)
    result = read_log(tmp_path, "x" * 20_000 + "\n" + record(1))
    assert result.steps["step"].tolist() == [1]


def test_an_empty_job_log_is_a_job_that_left_nothing():
    result = read("empty-job-log")
    assert kinds(result) == {"file.empty": None}
    assert [(job.name, job.number) for job in result.jobs] == [("empty_1000013", 1000013)]


def test_a_pointer_says_what_to_fetch():
    assert kinds(read("lfs-pointer")) == {"file.lfs-pointer-of-size": None}


def test_a_log_that_vanished_is_a_problem(tmp_path):
    location = tmp_path / "run-a_1234567.out"
    location.write_text(PLAIN)
    source = source_of(location)
    location.unlink()
    assert kinds(READER.read(source)) == {"file.unreadable": None}


@pytest.mark.parametrize(
    ("path", "job"),
    [
        ("team/run-a/logs/run-a_1234567.out", "run-a_1234567"),
        ("team/run-a/logs/run-a_1234567.out.gz", "run-a_1234567"),
        ("team/run-a/logs/stdout.log", "run-a/stdout"),
        ("run-a/wandb/run-20260425_172706-65zju5fx/files/output.log", "run-20260425_172706-65zju5fx/output"),
        ("train.log", "train"),
    ],
)
def test_the_job_is_called_after_the_file_or_its_folder(tmp_path, path, job):
    location = tmp_path / "x.out"
    location.write_text(PLAIN)
    assert job_of(source_of(location, path)) == job


def test_every_fixture_is_claimed_by_this_reader_alone():
    for entry in sorted((Path(__file__).parents[2] / "data" / "console").rglob("*.out")):
        assert claimant(source_of(entry)) is READER
    assert sum(reader.name == "console" for reader in READERS) == 1
