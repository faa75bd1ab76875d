"""How a service is run: where it listens, whom it answers, and how much it takes on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from hypercone.errors import InputError
from hypercone.service.hosts import checked_host_name
from hypercone.service.origins import checked_origin
from hypercone.service.token import checked_token

# Beyond this a deadline protects nobody, and a queue of requests is only memory.
LONGEST_DEADLINE, MOST_AT_ONCE = 3600.0, 10_000


@dataclass(frozen=True)
class Options:
    """All that can be chosen; what cannot be meant is refused at once.

    >>> Options(port=70_000)
    Traceback (most recent call last):
    hypercone.errors.InputError: port is 70000, but must be from 0 (any free one) to 65535
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    allow_hosts: tuple[str, ...] = ()
    cors: tuple[str, ...] = ()
    deadline: float = 10.0
    concurrency: int = 64
    explorer: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"port is {self.port}, but must be from 0 (any free one) to 65535")
        if not (math.isfinite(self.deadline) and 0 < self.deadline <= LONGEST_DEADLINE):
            raise InputError(f"deadline is {self.deadline:g}, but must be above 0 and at most {LONGEST_DEADLINE:g} s")
        if not 1 <= self.concurrency <= MOST_AT_ONCE:
            raise InputError(f"concurrency is {self.concurrency}, but must be from 1 to {MOST_AT_ONCE:,}")
        if self.token is not None:
            checked_token(self.token, "the token")
        for name in (self.host, *self.allow_hosts):
            checked_host_name(name)
        for origin in self.cors:
            checked_origin(origin)
