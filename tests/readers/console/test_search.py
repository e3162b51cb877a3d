"""The search over blocks: needles that do not hide each other, lines handed over in order."""

import itertools
import re
from dataclasses import dataclass, field

import pytest

from sitegen.readers.console.dialect import Dialect, Found, Line, Log, Noted
from sitegen.readers.console.dialects import DIALECTS
from sitegen.readers.console.search import MAX_FOLLOWED, Search


@dataclass
class Recorder:
    """Keeps what it is given; asks for the lines after one with `more`, until one with `stop`."""

    seen: list[tuple[int, bytes, bool]] = field(default_factory=list)

    def take(self, line: Line, marked: bool) -> bool:
        self.seen.append((line.number, line.raw, marked))
        return b"stop" not in line.raw and (b"more" in line.raw or not marked)

    def take_many(self, numbers, heads, tails) -> None:
        assert all(tail.startswith((b"needle", b"pin")) for tail in tails)
        assert not any(b"needle" in head or b"pin" in head for head in heads)
        self.seen += [(at, head + tail, True) for at, head, tail in zip(numbers, heads, tails, strict=True)]

    def finish(self) -> Found:
        return Found()


def search(
    *blocks: bytes, bulk: bool = False, check: re.Pattern[bytes] | None = None
) -> tuple[list[tuple[int, bytes, bool]], Log]:
    recorder = Recorder()
    kind = {"bulk": lambda log: recorder} if bulk else {"parser": lambda log: recorder}
    dialect = Dialect(name="x", framework=None, needles=(b"needle", b"pin"), markers=(), check=check, **kind)
    log = Log(path="x", job="x", noted=Noted("x"))
    searched = Search((dialect,))
    reading = searched.open(log)
    for block in blocks:
        reading.feed(searched.block(block))
    reading.finish()
    return recorder.seen, log


@pytest.mark.parametrize("bulk", [False, True])
def test_lines_with_a_needle_come_once_each_with_their_numbers(bulk):
    seen, log = search(b"needle a\nnothing\nb needle pin needle\n", b"c\nneedle", bulk=bulk)
    assert seen == [(1, b"needle a", True), (3, b"b needle pin needle", True), (5, b"needle", True)]
    assert (log.lines, log.cut) == (4, True)


def test_lines_after_a_needle_come_on_request_over_the_border_of_blocks():
    seen, _ = search(b"x\nneedle more\na\n", b"b\nc stop\nd\nneedle\ne\n")
    assert seen == [
        (2, b"needle more", True),
        (3, b"a", False),
        (4, b"b", False),
        (5, b"c stop", False),
        (7, b"needle", True),
    ]


def test_a_marked_line_that_fails_the_quick_check_is_passed_over():
    seen, _ = search(b"needle\nneedle 7 more\nneedle\nstop\n", check=re.compile(rb"needle \d"))
    assert seen == [(2, b"needle 7 more", True), (3, b"needle", False), (4, b"stop", False)]


def test_a_parser_that_never_has_enough_is_cut_off():
    seen, _ = search(b"needle more\n" + b"a\n" * (MAX_FOLLOWED + 500))
    assert len(seen) == 1 + MAX_FOLLOWED


def test_a_progress_bar_drawn_over_itself_is_split_and_carriage_returns_at_the_end_are_no_part_of_a_line():
    seen, _ = search(b"bar\rbar\rneedle a\r\nneedle b\r\n")
    assert seen == [(1, b"needle a", True), (2, b"needle b", True)]


def test_no_needle_lies_within_another():
    needles = Search(DIALECTS).needles
    for one, two in itertools.permutations(needles, 2):
        assert one not in two


def test_the_end_of_a_needle_is_not_the_beginning_of_another():
    needles = Search(DIALECTS).needles
    for one, two in itertools.permutations(needles, 2):
        for length in range(3, min(len(one), len(two))):
            assert not one.endswith(two[:length]), (one, two)


def test_needles_are_few_enough_for_the_vector_search():
    assert len(Search(DIALECTS).needles) <= 64


def test_dialects_are_whole():
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS)
    for dialect in DIALECTS:
        assert (dialect.parser is None) != (dialect.bulk is None)
        assert all(len(needle) >= 5 for needle in dialect.needles)
