"""Progress of long operations: events of a fit, steps with a counter, and the progress bar that shows either.

A bar appears after two seconds, on standard error, if that is a terminal or a notebook. A separate thread reads the
counter a few times per second and draws the bar, so counting costs almost nothing; tqdm is imported only when a bar is
drawn.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Progress:
    """The progress of one stage of a fit: epochs or iterations done, and the figures known so far."""

    stage: str
    done: int
    total: int
    unit: str
    # Since the start of the stage.
    seconds: float
    # Unknown after the first epoch, whose time may be mostly compilation.
    seconds_left: float | None = None
    loss: float | None = None
    violated: int | None = None
    active_negatives: int | None = None
    pairs_per_second: float | None = None
    # From the latest validation, if there was one.
    validation_f1: float | None = None
    # From the latest exact count of a construction.
    all_pairs_f1: float | None = None
    # The live array: the next epoch changes it, so make a copy to keep the values.
    points: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    @property
    def epoch(self) -> int:
        """Epochs done; the same as ``done``."""
        return self.done

    @property
    def epochs(self) -> int:
        """Epochs in total; the same as ``total``."""
        return self.total

    @property
    def is_last(self) -> bool:
        """Whether this stage is done."""
        return self.done == self.total

    def line(self) -> str:
        """The event as one line, for a log.

        >>> Progress("free caps", 20, 600, "iteration", 1.5, 43.5, all_pairs_f1=0.8).line()
        'free caps iteration 20/600  all-pairs F1 80.00  44 s left'
        """
        left = [] if self.seconds_left is None else [f"{self.seconds_left:.0f} s left"]
        return "  ".join([f"{self.stage} {self.unit} {self.done}/{self.total}", *self.figures(), *left])

    def figures(self) -> list[str]:
        """The known figures as text.

        >>> Progress("training", 3, 10, "epoch", 1.0, loss=0.25, active_negatives=1234).figures()
        ['loss 0.2500', 'active 1,234']
        """
        parts = []
        if self.loss is not None:
            parts.append(f"loss {self.loss:.4f}")
        if self.active_negatives is not None:
            parts.append(f"active {self.active_negatives:,}")
        if self.pairs_per_second is not None:
            parts.append(f"{self.pairs_per_second / 1e6:.1f} M pairs/s")
        if self.validation_f1 is not None:
            parts.append(f"validation F1 {100 * self.validation_f1:.2f}")
        if self.all_pairs_f1 is not None:
            parts.append(f"all-pairs F1 {100 * self.all_pairs_f1:.2f}")
        return parts


OnProgress = Callable[[Progress], None]


class Reporter:
    """Reports the epochs or iterations of one stage, with an estimate of the remaining time."""

    def __init__(self, tell: OnProgress, stage: str, total: int, unit: str = "epoch") -> None:
        self.tell, self.stage, self.total, self.unit = tell, stage, total, unit
        self.started = time.perf_counter()
        # (done, seconds) at the first report; excluded from the estimate, since it may be mostly compilation.
        self.first: tuple[int, float] | None = None

    def __call__(self, done: int, **figures: Any) -> None:
        """Report the number of epochs or iterations done so far."""
        seconds, left = time.perf_counter() - self.started, None
        if self.first is None:
            self.first = done, seconds
        elif done > self.first[0]:
            left = (seconds - self.first[1]) / (done - self.first[0]) * (self.total - done)
        self.tell(Progress(self.stage, done, self.total, self.unit, seconds, left, **figures))


# Whether bars are shown in this context: always (True), never (False), or on a terminal or notebook (None).
_choice: ContextVar[bool | None] = ContextVar("hypercone_progress", default=None)
# The choice of the latest block in any thread, for the threads that the work inside it starts.
_latest: bool | None = None


@contextlib.contextmanager
def showing(choice: bool | None) -> Iterator[None]:
    """Within the block, show bars always (True) or never (False); None keeps the current choice.

    >>> with showing(False), Step("counting", 2) as step:
    ...     step.advance(2)
    """
    global _latest  # noqa: PLW0603 - a ContextVar does not reach other threads
    token, before = _choice.set(_choice.get() if choice is None else choice), _latest
    _latest = _choice.get()
    try:
        yield
    finally:
        _choice.reset(token)
        _latest = before


def is_shown() -> bool:
    """Whether a bar would be shown now; without an explicit choice, only the main thread shows bars."""
    choice = _choice.get()
    if choice is None:
        return threading.current_thread() is threading.main_thread() and is_watched(sys.stderr)
    return choice


def say(line: str) -> None:
    """Write a line to standard error where bars are shown, above the bar if there is one; from any thread.

    >>> with showing(False):
    ...     say("not seen")
    """
    choice = _latest if _choice.get() is None else _choice.get()
    if sys.stderr is None or not (is_watched(sys.stderr) if choice is None else choice):
        return
    stream = _TolerantStream(sys.stderr)
    # A bar exists only if tqdm is imported; it is cleared for the line and then drawn again.
    bars = getattr(sys.modules.get("tqdm.std"), "tqdm", None)
    if bars is None:
        stream.write(line + "\n")
    else:
        bars.write(line, file=stream)
    stream.flush()


def is_watched(stream: TextIO | None) -> bool:
    """Whether output to the stream is visible to a person: on a terminal or in a notebook.

    >>> import io
    >>> is_watched(io.StringIO())
    False
    """
    try:
        return stream is not None and (stream.isatty() or is_notebook())
    except ValueError:
        # The stream is closed.
        return False


def is_notebook() -> bool:
    """Whether this runs in the kernel of a notebook.

    >>> is_notebook()
    False
    """
    # In a notebook, IPython is already imported.
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    if get_ipython is None:
        return False
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(get_ipython()).__mro__)


# A bar for anything shorter would be gone before one could read it.
SHOWN_AFTER, REDRAWN_EVERY = 2.0, 0.25
PLAIN = "{l_bar}{bar}| [{elapsed}<{remaining}{postfix}]"
COUNTED = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


class Step:
    """A named unit of work with a counter; it has a progress bar if bars are shown and no outer step has one.

    Call ``advance`` after each part of the work. If the work has a counter already, such as the position in a file,
    pass a function as ``count``; it is called whenever the bar is drawn.

    >>> with Step("adding", total=3) as step:
    ...     for _ in range(3):
    ...         step.advance()
    >>> step.done
    3
    """

    # The step whose bar is shown; there is at most one bar.
    _shown: Step | None = None

    def __init__(self, name: str, total: int, count: Callable[[], int] | None = None, *, done: int = 0) -> None:
        self.name, self.total, self.count = name, total, count
        self.first = self.done = done
        self.started = time.time()
        self.figures = ""
        self.form = PLAIN
        self._ended = threading.Event()
        self._drawing: threading.Thread | None = None

    def advance(self, amount: int = 1) -> None:
        """Add to the amount of work done."""
        self.done += amount

    def tally(self) -> NDArray[np.int64]:
        """A one-element array for compiled code to count in; from now on it is the amount of work done."""
        import numpy as np

        number = np.zeros(1, np.int64)
        self.count = lambda: int(number[0])
        return number

    def __enter__(self) -> Step:
        if Step._shown is None and is_shown():
            Step._shown = self
            self._drawing = threading.Thread(target=self._draw, name=f"progress of {self.name}", daemon=True)
            self._drawing.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar, so that the next output starts on a clean line."""
        if self._drawing is not None:
            Step._shown = None
            self._ended.set()
            # With a timeout: a stopped terminal must not block the work.
            self._drawing.join(1.0)

    def _draw(self) -> None:
        if self._ended.wait(max(0.0, self.started + SHOWN_AFTER - time.time())):
            return
        with warnings.catch_warnings():
            # In a notebook without ipywidgets, tqdm warns and draws a bar of text, which is as good.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

        bar = tqdm(
            desc=self.name,
            total=self.total,
            initial=self.first,
            leave=False,
            dynamic_ncols=True,
            mininterval=0,
            miniters=1,
            bar_format=self.form,
            delay=SHOWN_AFTER,
            file=_TolerantStream(sys.stderr),
        )
        # Time counts from the start of the work, not from the creation of the bar.
        bar.start_t = bar.last_print_t = self.started
        self._draw_once(bar)
        bar.delay = 0
        while not self._ended.wait(REDRAWN_EVERY):
            self._draw_once(bar)
        bar.close()

    def _draw_once(self, bar: Any) -> None:
        done = min(self.done if self.count is None else self.count(), self.total)
        bar.set_postfix_str(self.figures, refresh=False)
        if done > bar.n:
            bar.update(done - bar.n)
        else:
            # Nothing new is done, but the elapsed time has changed.
            bar.refresh()


class _TolerantStream:
    """A stream that ignores write errors, such as a closed pipe or a full disk: they must not stop the work.

    An error inside tqdm would leave its lock held, and the next bar would wait for it forever.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __eq__(self, other: object) -> bool:
        # tqdm compares the streams of a bar and of a line, to know which bars to clear.
        return isinstance(other, _TolerantStream) and self._stream is other._stream

    __hash__ = None  # type: ignore[assignment]


Item = TypeVar("Item")


def track_progress(items: Iterable[Item], name: str, total: int) -> Iterator[Item]:
    """Iterate over the items with a progress bar; an item counts as done when the next one is requested.

    >>> list(track_progress([1, 2, 3], "counting", total=3))
    [1, 2, 3]
    """
    with Step(name, total) as step:
        for item in items:
            yield item
            step.advance()


class ProgressBar:
    """Shows the events of a fit: one bar per stage, with the latest figures.

    The ``with`` statement yields None if no bar is shown, so that no figures are computed that nobody sees.

    >>> with showing(False), ProgressBar() as show:
    ...     print(show)
    None
    """

    def __init__(self) -> None:
        self._step: Step | None = None

    def __enter__(self) -> OnProgress | None:
        return self if is_shown() else None

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        if self._step is not None:
            self._step.__exit__()
            self._step = None

    def __call__(self, event: Progress) -> None:
        """Show an event."""
        if self._step is None or self._step.name != event.stage:
            self.__exit__()
            self._step = Step(event.stage, event.total, done=event.done)
            self._step.form = COUNTED
            self._step.started -= event.seconds
            self._step.__enter__()
        self._step.done, self._step.figures = event.done, ", ".join(event.figures())
        if event.is_last:
            self.__exit__()


class LiveTable:
    """Shows a table while it fills: redrawn in place on a terminal, and one line per update otherwise."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_live = stream.isatty()
        self._height = 0

    def show(self, table: str, news: str) -> None:
        """Redraw the table followed by the news; without a terminal, write the news only."""
        if not self.is_live:
            self.stream.write(news + "\n")
        else:
            up = f"\x1b[{self._height}F\x1b[J" if self._height else ""
            self.stream.write(f"{up}{table}\n{news}\n")
            self._height = table.count("\n") + 2
        self.stream.flush()
