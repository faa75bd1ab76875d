"""When a checkpoint is due: as often as configured, at little cost, and independent of the wall clock."""

from __future__ import annotations

import math
import time

import pytest

from hypercone.errors import ConfigError
from hypercone.runs import Checkpointing
from hypercone.runs.checkpoint import LARGEST_SHARE, Cadence


class Clock:
    """A clock that the test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(time, "time", lambda: pytest.fail("the wall clock may jump"))
    return clock


def test_a_checkpoint_is_due_every_so_many_epochs(clock):
    cadence = Cadence(Checkpointing("run", every_epochs=3))
    due = []
    for _ in range(9):
        due.append(cadence.is_due())
        if due[-1]:
            cadence.wrote(clock.now)
    assert due == [False, False, True] * 3


def test_a_checkpoint_is_due_every_so_many_seconds_or_if_the_clock_is_set_back(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    clock.now += 9.9
    assert not cadence.is_due()
    clock.now += 0.2
    assert cadence.is_due()
    cadence.wrote(clock.now)
    assert not cadence.is_due()
    clock.now -= 1e6
    assert cadence.is_due()


def test_a_slow_disk_gets_fewer_checkpoints_so_that_writing_takes_a_small_share_of_the_time(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    started = clock.now
    clock.now += 6
    cadence.wrote(started)
    clock.now += 6 / LARGEST_SHARE - 1
    assert not cadence.is_due()
    clock.now += 2
    assert cadence.is_due()


@pytest.mark.parametrize(
    ("name", "value"), [("every_epochs", 0), ("every_seconds", 0), ("every_seconds", math.nan), ("every_seconds", -1)]
)
def test_an_invalid_cadence_is_refused(tmp_path, name, value):
    with pytest.raises(ConfigError, match="from a checkpoint to the next"):
        Checkpointing(tmp_path, **{name: value})
