"""`python -m tests.sample_archive`: write the synthetic runs of `runs/` anew (same bytes every time)."""

from pathlib import Path

from tests.sample_archive import calendar_twin, damaged, outage

RUNS = Path(__file__).parents[2] / "runs"


def main() -> None:
    for part in (calendar_twin, outage, damaged):
        for path, content in part.files().items():
            target = RUNS / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


if __name__ == "__main__":
    main()
