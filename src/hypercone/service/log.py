"""The log: one line on standard error for each mistake of ours, and silence about mistakes of others."""

from __future__ import annotations

import logging
import sys
import traceback


def one_line(error: BaseException) -> str:
    """What went wrong and where, without line breaks.

    >>> try:
    ...     _ = 1 / 0
    ... except ZeroDivisionError as error:
    ...     one_line(error).split(" (")[0]
    'ZeroDivisionError: division by zero'
    """
    words = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"{words} ({frames[0].filename}:{frames[0].lineno})" if frames else words


def note(message: str) -> None:
    """Write a line to the log."""
    print(f"hypercone: {message}", file=sys.stderr, flush=True)


class OneLine(logging.Handler):
    """What uvicorn and asyncio report, in our way."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line for a record."""
        error = record.exc_info[1] if record.exc_info else None
        words = " ".join(record.getMessage().split())
        note(f"error: {words}" + (f": {one_line(error)}" if error is not None else ""))


def take_over() -> None:
    """Let the libraries below speak of errors only, a line each; what strangers send them is no error."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [OneLine(logging.ERROR)], False
        logger.setLevel(logging.ERROR)
