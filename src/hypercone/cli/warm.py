"""hypercone warm: compile everything in advance, for a container image or CI."""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from hypercone import _jit, _math_kernels, evaluation
from hypercone._kernel_cache import cache_folder
from hypercone.cli.output import add_json, add_quiet, print_answer
from hypercone.construction import CONSTRUCTIONS
from hypercone.construction.given_edges import NestedPlan
from hypercone.construction.overlapping import Plans, construct_overlapping
from hypercone.construction.refining import RefiningPlan
from hypercone.embedding import Embedding
from hypercone.embedding.relatives import BY
from hypercone.errors import ConfigError, InputError, ResourceError, option
from hypercone.formats import read
from hypercone.formats.parsed import ON_CYCLE
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import count_pairs_by_bits
from hypercone.hierarchy.similarity import MEASURES
from hypercone.methods import METHODS
from hypercone.progress import track_progress
from hypercone.queries.questions import QUESTIONS, TEXT, QuestionInput
from hypercone.training import fit
from hypercone.training.config import LARGER_DIM, OPTIONS, USUAL_DIM
from hypercone.training.recipe import read_recipes

WARM_EXAMPLE = """examples:
  hypercone warm
  hypercone warm --dims 5 32 --quiet        (in a Dockerfile: RUN XDG_CACHE_HOME=/cache hypercone warm --quiet)"""

FEWEST, MOST = 2, _jit.UNROLLED_DIMENSIONS
NODES = 60
# The dimension of the models that are fitted to compile what serves any dimension.
ANY_DIM = 3


def add_warm_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--dims",
        type=int,
        nargs="*",
        default=[USUAL_DIM, LARGER_DIM],
        metavar="DIM",
        help="dimensions to compile faster code for, which large hierarchies use"
        f" (default {USUAL_DIM} {LARGER_DIM}, those of fits)",
    )
    add_quiet(parser)
    add_json(parser)


def run_warm(options: argparse.Namespace) -> int:
    """Compile everything, and print how much there is, how long it took, and where it is kept."""
    for dim in options.dims:
        if not FEWEST <= dim <= MOST:
            raise InputError(
                f"{option('dims')} has {dim}, but must be from {FEWEST} to {MOST}; leave out others, which share one"
                " code"
            )
    folder, started = cache_folder(frozenset(_jit.FLAGS)), time.perf_counter()
    if folder is None:
        raise ResourceError(
            "no folder is writable, so compiled code could not be kept; set XDG_CACHE_HOME to one that is"
        )
    with _jit.use_tier(_jit.COMPILED):
        work = list(workloads(options.dims))
        for run in track_progress(work, "compiling", len(work)):
            run()
    known: list[Any] = [kernel.compiled for name, kernel in _jit.KERNELS.items() if name.startswith("hypercone.")]
    answer = {
        "kernels": len(known),
        "versions": sum(len(kernel.signatures) for kernel in known),
        "compiled": sum(sum(kernel.stats.cache_misses.values()) for kernel in known),
        "seconds": round(time.perf_counter() - started, 1),
        "folder": str(folder),
    }
    print_answer(answer, options.json)
    return 0


def workloads(dims: Sequence[int]) -> Iterator[Callable[[], object]]:
    """Small work that calls every kernel: with code for any dimension, and with code for each of these."""
    yield from (partial(_read_tables, on_cycle) for on_cycle in ON_CYCLE)
    yield _examine_hierarchy
    yield _compute_functions
    for dim, few_rows in [(ANY_DIM, NODES * NODES), *((dim, 0) for dim in dims)]:
        for work in _fits(dim):
            yield partial(_run_with, few_rows, work)


def _run_with(few_rows: int, work: Callable[[], object]) -> None:
    """Run the work as if this many rows were few: code for a dimension is used for more."""
    before, _jit.FEW_ROWS = _jit.FEW_ROWS, few_rows
    try:
        work()
    finally:
        _jit.FEW_ROWS = before


def _read_tables(on_cycle: str) -> None:
    for edges in ("b a\nc b\nc a", "a b\nb c\nc a\nc d", "a a"):
        with contextlib.suppress(InputError):
            read(io.BytesIO(f"parent child\n{edges}\n".replace(" ", "\t").encode()), on_cycle=on_cycle)


def _example() -> Hierarchy:
    """A hierarchy in which most nodes have two parents, so that no forest is exact."""
    names = [f"node {row}" for row in range(NODES)]
    return Hierarchy(names, [[(row - 1) // share, row] for row in range(1, NODES) for share in (2, 3)])


def _examine_hierarchy() -> None:
    found = _example()
    found.summary(), found.ancestor_counts(), found.redundant_edges(), found.closure(), found.split(50)
    count_pairs_by_bits(found._order, found.lineage.parent_lists)
    top, bottom = found.names[0], found.names[-1]
    found.ancestors(bottom), found.descendants(top), found.lineage.is_above([0], [1])
    Hierarchy.from_pairs([(bottom, "new"), (top, bottom)]).subtree(top)
    for on in ("all-pairs", "hard-pairs"):
        evaluation.baselines(found, on=on, group_by="parents")


def _compute_functions() -> None:
    values = np.ones(1)
    for name in dir(_math_kernels):
        if name.endswith("_each") and name != "power_each":
            getattr(_math_kernels, name)(values)


def _fits(dim: int) -> Iterator[Callable[[], object]]:
    """Fits in this dimension: both constructions, and every method with every recipe and from every start."""
    plans = Plans(NestedPlan(separation_iterations=1, iterations=8), RefiningPlan(iterations=8))
    yield lambda: construct_overlapping(_example(), dim, plans=plans)
    yield lambda: _ask(fit(_example(), "nested-caps", dim=dim))
    for method in METHODS:
        yield partial(_learn_and_ask, method, dim)
        for name in read_recipes(method):
            yield partial(_learn, method, dim, recipe=name)
        for init in OPTIONS["init"].choices:
            if init not in (method, *CONSTRUCTIONS):
                yield partial(_learn, method, dim, init=init)
    yield lambda: evaluation.suggestions(_example(), dim=dim, epochs=20, init_epochs=20)


def _learn_and_ask(method: str, dim: int) -> None:
    _ask(fit(_example(), method, dim=dim, epochs=1, init_epochs=1))


def _learn(method: str, dim: int, **settings: Any) -> None:
    # Not every method has every start.
    with contextlib.suppress(ConfigError):
        fit(_example(), method, dim=dim, epochs=1, init_epochs=1, burn_in=1, **settings)


def _ask(model: Embedding) -> None:
    """Evaluate a model, and ask all that can be asked of it."""
    found, names = model.hierarchy, list(model.names)
    assert found is not None
    evaluation.headline(model), evaluation.reconstruction(model), evaluation.hard_pairs(model)
    evaluation.link_prediction(model, found.split(50).test)
    for _ in range(2):
        for by in BY:
            _ask_questions(model, by)
            model.ancestors(names, by=by), model.descendants(names, by=by)
        # From now on the index answers.
        _ = model.index
    larger = model.add_many({"new": names[:2]}, not_under={"new": names[-1:]})
    larger = larger.add("by point", point=larger.centroid(names[:2]))
    larger.add("below", parents=["by point"])
    model.suggest(5), model.compare(larger)
    # The geometry of a model without edges answers alone.
    Embedding(model.names, np.array(model.points), model.method, model.settings, model.threshold).add("new", names[:2])


def _ask_questions(model: Embedding, by: str) -> None:
    last = len(model) - 1
    for question in QUESTIONS.values():
        rows, text = [last, 0][: 2 if question.takes(2) else 1], "node" if question.arguments == TEXT else ""
        for measure in MEASURES if question.has_measure else MEASURES[:1]:
            asked_by = by if by in question.answered_by else None
            question.respond(QuestionInput(model, rows, 5, text, by=asked_by, measure=measure))
        if question.in_columns is not None:
            question.in_columns(model, np.array([[last, 0]], np.int32), by)
