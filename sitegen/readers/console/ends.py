"""How a job ended, decided from the lines that speak of it.

1. Only evidence after the last metric record counts (what happened before, the job survived), except an outage of the
   sandbox service, which is told by the batches of the last step.
2. `finished` or `stopped_early` wins: what is printed while processes are torn down is no cause.
3. Else the first line that names a cause: a scheduler's limit or cancellation, memory, a node, a hanging collective.
   The first, because one failure brings about others (a killed worker makes the others hang).
4. Else the outage of the sandbox service (its exception is cited before the counts of a batch), else a crash (an
   uncaught traceback at the end, a non-zero exit code).
5. Else a job step that SLURM cancelled without a reason, which it also does after any failure.
6. Else, as a guess, the first bare exception among the last lines, when no logger spoke after it.
7. Else unknown: a log that just stops says nothing.

The cause is cited; the first line after it that says that processes ended is named beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sitegen.model.run import UNKNOWN_END, EndCause, JobEnd
from sitegen.readers.console.dialect import Evidence

REGULAR: tuple[EndCause, ...] = ("finished", "stopped_early")
SPECIFIC: tuple[EndCause, ...] = ("time_limit", "cancelled", "out_of_memory", "node_failure", "hang")
ORDER: tuple[tuple[EndCause, ...], ...] = (REGULAR, SPECIFIC, ("sandbox_failure",), ("crashed",))
"""Groups of causes, the strongest first."""


def job_end(evidence: Sequence[Evidence], path: str, last_record: int) -> JobEnd:
    """The end of a job.

    Args:
        evidence: Lines that say how it ended, of one log.
        path: `SourceFile.path` of the log.
        last_record: Line of the last metric record; 0 without one.
    """
    counting = [item for item in evidence if item.line >= last_record or item.cause == "sandbox_failure"]
    told = [item for item in counting if not item.weak and not item.guess]
    groups = [[item for item in told if item.cause in causes] for causes in ORDER]
    guesses = [item for item in counting if item.guess and item.line >= last_record]
    for found in (*groups, [item for item in counting if item.weak], guesses):
        if found:
            first = min(found, key=lambda item: (item.symptom, item.line))
            after = [item.line for item in told if item.cause == "crashed" and item.line > first.line]
            return JobEnd(
                cause=first.cause,
                path=path,
                line=first.line,
                text=first.text,
                guessed=first.guess,
                last_line=None if first.cause in REGULAR else min(after, default=None),
            )
    return UNKNOWN_END
