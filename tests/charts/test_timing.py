"""Which part of a step a span of the time chart belongs to."""

import pytest

from sitegen.analyse.timing import Span
from sitegen.charts.timing import part_of


def span(name: str) -> Span:
    return Span(
        name=name,
        metric=f"timing/{name}",
        parent="step",
        depth=1,
        inside=True,
        declared=True,
        mean_s=1.0,
        count=1,
        share_of_step=0.5,
        total_share=0.5,
        share_of_parent=0.5,
    )


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("train_critic_and_policy", "train"),
        ("update_actor", "train"),
        ("convert_to_training_input", "other"),
        ("prepare_for_training", "other"),
        ("sync_policy_weights", "sync"),
        ("wait_for_generation_buffer", "wait"),
        ("generate", "other"),
    ],
)
def test_what_prepares_the_training_is_no_training(name: str, part: str) -> None:
    assert part_of(span(name), "wait_for_generation_buffer") == part
