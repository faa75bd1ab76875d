"""Checkpoints come as often as asked, cost little, and do not depend on what the clock on the wall says."""

from __future__ import annotations

import time

import pytest

from hypercone.runs import Checkpointing
from hypercone.runs.checkpoint import LARGEST_SHARE, Cadence


class Clock:
    """Time that passes when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(time, "time", lambda: pytest.fail("the wall clock may jump"))
    return clock


def test_every_so_many_epochs(clock):
    cadence = Cadence(Checkpointing("run", every_epochs=3))
    due = []
    for _ in range(9):
        due.append(cadence.is_due())
        if due[-1]:
            cadence.wrote(clock.now)
    assert due == [False, False, True] * 3


def test_every_so_many_seconds(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    clock.now += 9.9
    assert not cadence.is_due()
    clock.now += 0.2
    assert cadence.is_due()
    cadence.wrote(clock.now)
    assert not cadence.is_due()


def test_a_slow_disk_gets_fewer_checkpoints_so_that_the_share_of_writing_stays_small(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    started = clock.now
    clock.now += 6
    cadence.wrote(started)
    clock.now += 6 / LARGEST_SHARE - 1
    assert not cadence.is_due()
    clock.now += 2
    assert cadence.is_due()


def test_a_clock_that_is_set_back_does_not_put_checkpoints_off(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    clock.now -= 1e6
    assert cadence.is_due()
