"""How far long work is: the event a fit tells of, steps that count what is done, and the one bar that shows either.

A bar appears after two seconds, on standard error, where that is a terminal or a notebook. A thread of its own looks at
the count a few times a second and draws it, so that counting costs the work nothing, and tqdm is not even imported for
what is quick or for a pipe.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Progress:
    """How far a stage of a fit is: so many epochs or iterations of all, and the figures that are known by then."""

    stage: str
    done: int
    total: int
    unit: str
    # Since the stage began.
    seconds: float
    # Unknown after the first epoch, most of whose time may be the compiler's.
    seconds_left: float | None = None
    loss: float | None = None
    violated: int | None = None
    active_negatives: int | None = None
    pairs_per_second: float | None = None
    # Of the latest validation, if there has been one.
    validation_f1: float | None = None
    # Of the latest exact count of a construction.
    all_pairs_f1: float | None = None
    # Live: the next epoch moves them, so copy what is to be kept.
    points: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    @property
    def epoch(self) -> int:
        """What is done, where it is counted in epochs."""
        return self.done

    @property
    def epochs(self) -> int:
        """All there is to do, where it is counted in epochs."""
        return self.total

    @property
    def is_last(self) -> bool:
        """Whether this stage is done."""
        return self.done == self.total

    def line(self) -> str:
        """All of it in one line, for a log.

        >>> Progress("free caps", 20, 600, "iteration", 1.5, 43.5, all_pairs_f1=0.8).line()
        'free caps iteration 20/600  all-pairs F1 80.00  44 s left'
        """
        left = [] if self.seconds_left is None else [f"{self.seconds_left:.0f} s left"]
        return "  ".join([f"{self.stage} {self.unit} {self.done}/{self.total}", *self.figures(), *left])

    def figures(self) -> list[str]:
        """The figures that are known, in words.

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
    """Tells of the epochs or iterations of one stage as they are done, and how long those that are left will take."""

    def __init__(self, tell: OnProgress, stage: str, total: int, unit: str = "epoch") -> None:
        self.tell, self.stage, self.total, self.unit = tell, stage, total, unit
        self.started = time.perf_counter()
        # What was done at the first report, and when: most of that time may be the compiler's.
        self.first: tuple[int, float] | None = None

    def __call__(self, done: int, **figures: Any) -> None:
        """Report that so many are done."""
        seconds, left = time.perf_counter() - self.started, None
        if self.first is None:
            self.first = done, seconds
        elif done > self.first[0]:
            left = (seconds - self.first[1]) / (done - self.first[0]) * (self.total - done)
        self.tell(Progress(self.stage, done, self.total, self.unit, seconds, left, **figures))


# Whether bars are shown in this context: always, never, or where somebody sees them.
_choice: ContextVar[bool | None] = ContextVar("hypercone_progress", default=None)


@contextlib.contextmanager
def showing(choice: bool | None) -> Iterator[None]:
    """During the block, show bars always (True) or never (False); None leaves it as it is: where somebody sees them.

    >>> with showing(False), Step("counting", 2) as step:
    ...     step.advance(2)
    """
    token = _choice.set(_choice.get() if choice is None else choice)
    try:
        yield
    finally:
        _choice.reset(token)


def is_shown() -> bool:
    """Whether a bar would be shown here and now; unless it was chosen, threads beside the main one show none."""
    choice = _choice.get()
    if choice is None:
        return threading.current_thread() is threading.main_thread() and is_watched(sys.stderr)
    return choice


def is_watched(stream: TextIO | None) -> bool:
    """Whether a person sees what is written to a stream: on a terminal, or in a notebook.

    >>> import io
    >>> is_watched(io.StringIO())
    False
    """
    try:
        return stream is not None and (stream.isatty() or _is_notebook())
    except ValueError:
        # It is closed.
        return False


def _is_notebook() -> bool:
    # Where nobody has imported IPython, this is no notebook.
    asked = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return asked is not None and any(kind.__name__ == "ZMQInteractiveShell" for kind in type(asked()).__mro__)


# What takes less is over before a bar could be read.
SHOWN_AFTER, REDRAWN_EVERY = 2.0, 0.25
PLAIN = "{l_bar}{bar}| [{elapsed}<{remaining}{postfix}]"
COUNTED = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


class Step:
    """Some work with a name, of which so much is done; where bars are shown it has one, unless it is part of another.

    Work that is done in pieces says so by ``advance``. For work that keeps a count anyway, such as the place in a file,
    ``count`` is asked for it when the bar is drawn.

    >>> with Step("adding", total=3) as step:
    ...     for _ in range(3):
    ...         step.advance()
    >>> step.done
    3
    """

    # The one that has the line, for there is one line.
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
        """So much more is done."""
        self.done += amount

    def tally(self) -> NDArray[np.int64]:
        """One number for compiled code to count in, which is what is done from now on."""
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
        """Take the bar away, so that whatever is printed next stands on its own."""
        if self._drawing is not None:
            Step._shown = None
            self._ended.set()
            # Not for ever: a terminal may be stopped, and the work goes on.
            self._drawing.join(1.0)

    def _draw(self) -> None:
        if self._ended.wait(max(0.0, self.started + SHOWN_AFTER - time.time())):
            return
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
            file=_Forgiving(sys.stderr),
        )
        # Time counts from the beginning of the work, not from when the bar was made.
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
            # The time goes on.
            bar.refresh()


class _Forgiving:
    """A stream that nobody may read any more, or that is on a full disk: no reason to stop the work.

    An error that reached tqdm would leave its lock taken, and the next bar waiting for it.
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


Item = TypeVar("Item")


def track_progress(items: Iterable[Item], name: str, total: int) -> Iterator[Item]:
    """The same items; each counts as done when the next is asked for.

    >>> list(track_progress([1, 2, 3], "counting", total=3))
    [1, 2, 3]
    """
    with Step(name, total) as step:
        for item in items:
            yield item
            step.advance()


class ProgressBar:
    """Shows the events of a fit: a bar for each stage, with the latest figures.

    What the block is given is None where no bar is shown, so that nothing is measured for nobody.

    >>> with showing(False), ProgressBar() as show:
    ...     print(show)
    None
    """

    def __init__(self) -> None:
        self._step: Step | None = None

    def __enter__(self) -> OnProgress | None:
        return self if is_shown() else None

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._step is not None:
            self._step.__exit__()
            self._step = None

    def __call__(self, event: Progress) -> None:
        """Show one event."""
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
    """Shows the latest state of a table while it fills: in its place on a terminal, line by line when piped."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_live = stream.isatty()
        self._height = 0

    def show(self, table: str, news: str) -> None:
        """The table in the place of the one before; or only the news, where a line cannot be taken back."""
        if not self.is_live:
            self.stream.write(news + "\n")
        else:
            up = f"\x1b[{self._height}F\x1b[J" if self._height else ""
            self.stream.write(f"{up}{table}\n{news}\n")
            self._height = table.count("\n") + 2
        self.stream.flush()
