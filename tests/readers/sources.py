"""Source files for reader tests: from the fixtures, from bytes, from the optional sample folder."""

from pathlib import Path

from sitegen.model.run import HEAD_BYTES, ReadResult, SourceFile
from sitegen.readers import READERS
from sitegen.readers.base import Reader

DATA = Path(__file__).parents[1] / "data"
SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
SEEDS = SAMPLES.parent / "seeds"
BY_NAME = {reader.name: reader for reader in READERS}
CURVE_COLUMNS = {
    "reward": "reward/avg_raw_reward",
    "pass8": "reward/avg_pass_at_8",
    "entropy": "policy/policy_entropy",
    "kl": "policy/policy_kl",
    "gradnorm": "policy/raw_grad_norm",
    "clip": "policy/ppo_clip_ratio",
    "mixed": "diag/frac_groups_mixed",
    "allwrong": "diag/frac_groups_all_wrong",
    "allcorrect": "diag/frac_groups_all_correct",
    "len50": "diag/response_len_p50",
    "len90": "diag/response_len_p90",
    "trunc": "diag/truncated_frac",
    "tis": "policy/tis/imp_ratio_mean",
}
"""Column of the published curves to the logged name, as the samples' README gives them."""


def source_of(location: Path, path: str | None = None) -> SourceFile:
    """A file as scan would hand it over."""
    content = location.read_bytes()
    return SourceFile(path=path or location.name, location=location, size=len(content), head=content[:HEAD_BYTES])


def fixture(reader: str, oddity: str) -> SourceFile:
    """The one file of `tests/data/<reader>/<oddity>`."""
    folder = DATA / reader / oddity
    (location,) = (entry for entry in sorted(folder.rglob("*")) if entry.is_file())
    return source_of(location, location.relative_to(folder).as_posix())


def read_fixture(reader: str, oddity: str) -> ReadResult:
    """That file, read."""
    return BY_NAME[reader].read(fixture(reader, oddity))


def read_bytes(folder: Path, name: str, content: bytes) -> ReadResult:
    """Bytes as a file of a name, read by the one reader that claims it."""
    location = folder / name
    location.write_bytes(content)
    source = source_of(location)
    return claimant(source).read(source)


def claimant(source: SourceFile) -> Reader:
    """The one reader that claims a file."""
    (reader,) = (reader for reader in READERS if reader.claims(source))
    return reader


def kinds(result: ReadResult) -> dict[str, int | None]:
    """Problem kinds of a result with their lines."""
    return {problem.kind: problem.line for problem in result.problems}
