"""hypercone demo: the main job on the data that ships."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from hypercone.cli.output import add_quiet, percentages
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.embedding.folder import refuse_unwritable_folder
from hypercone.evaluation import LinkPrediction, link_prediction
from hypercone.hierarchy import Hierarchy, Split
from hypercone.progress import Progress
from hypercone.queries import answer, in_words
from hypercone.training import fit

DEMO_EXAMPLE = """example:
  hypercone demo -o demo-model"""

BASELINE = "poincare"
QUESTIONS = (
    ("is-a", ["dog.n.01", "animal.n.01"]),
    ("ancestors", ["espresso.n.01"]),
    ("descendants", ["coffee.n.01"]),
)


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("-o", "--output", default="demo-model", metavar="FOLDER", help="where to save the model")
    parser.add_argument(
        "--source", default="wordnet-nouns", metavar="DATASET", help="a smaller named dataset, to see it faster"
    )
    parser.add_argument("--seed", type=int, default=0)
    add_quiet(parser)


def run_demo(options: argparse.Namespace) -> int:
    """Learn cones and a baseline side by side and test both; then construct cones of everything, ask them, save."""
    refuse_unwritable_folder(options.output)
    hierarchy = load_dataset(options.source)
    split = hierarchy.split(50, options.seed)
    _introduce(options.source, hierarchy, split)
    started = time.perf_counter()
    with _fitting_the_baseline(hierarchy, split, options.seed) as beside:
        cones = fit(hierarchy, split=split, seed=options.seed)
        _report(cones, link_prediction(cones, split.test), _baseline(beside, split), time.perf_counter() - started)
    constructed = _construct(hierarchy, options.seed)
    _ask(constructed, hierarchy)
    constructed.save(options.output)
    _say_what_next(options.output)
    return 0


def _introduce(source: str, hierarchy: Hierarchy, split: Split) -> None:
    print(f"{source}: {len(hierarchy):,} nodes. Training on {len(split.train):,} edges: every direct one and half of")
    held_out, wrong = len(split.test.positives), len(split.test.negatives)
    print(f"those they imply. Held out, to be told apart: {held_out:,} implied edges and {wrong:,} wrong pairs.\n")


@contextmanager
def _fitting_the_baseline(hierarchy: Hierarchy, split: Split, seed: int) -> Iterator[Future[Embedding]]:
    given_up = threading.Event()

    def stop_if_given_up(event: Progress) -> None:
        if given_up.is_set():
            raise KeyboardInterrupt

    # The kernels release the interpreter's lock, so the baseline has the second core to itself.
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(fit, hierarchy, split=split, method=BASELINE, seed=seed, callback=stop_if_given_up)
        except BaseException:
            # Or else Ctrl-C would wait for the baseline to end.
            given_up.set()
            raise


def _baseline(beside: Future[Embedding], split: Split) -> LinkPrediction:
    return link_prediction(beside.result(), split.test)


def _report(cones: Embedding, ours: LinkPrediction, baseline: LinkPrediction, seconds: float) -> None:
    print(f"\nOn the held-out edges, after {seconds:.0f} s:")
    for name, found in ((cones.method, ours), (BASELINE, baseline)):
        print(f"  {name:18} {percentages(found.precision, found.recall, found.f1)}")


def _construct(hierarchy: Hierarchy, seed: int) -> Embedding:
    print("\nNow with nothing held out, as you would fit your own taxonomy: cones constructed from all edges.")
    started = time.perf_counter()
    constructed = fit(hierarchy, seed=seed)
    record, seconds = constructed.record, time.perf_counter() - started
    print(f"Of all {len(hierarchy) * (len(hierarchy) - 1):,} ordered pairs of nodes, exactly, after {seconds:.0f} s:")
    print(f"  {'overlapping':18} {percentages(record['precision'], record['recall'], record['calibration_f1'])}")
    return constructed


def _ask(cones: Embedding, hierarchy: Hierarchy) -> None:
    print("\nThree questions, answered by geometry alone:")
    for question, names in QUESTIONS:
        if all(name in cones for name in names):
            words = in_words(answer(cones, question, names, 25))
            print(f"  {words}")
            _check_against_the_graph(cones, hierarchy, question, names[0])


def _check_against_the_graph(cones: Embedding, hierarchy: Hierarchy, question: str, name: str) -> None:
    """Say how many of a listing are right: a listing that looks good may still be half wrong."""
    row = hierarchy.row(name)
    true = {"ancestors": hierarchy.ancestors_of, "descendants": hierarchy.descendants_of}.get(question)
    if true is None:
        return
    right = {hierarchy.names[other] for other in true(row).tolist()}
    given = set(getattr(cones, question)(name))
    print(f"    (the graph has {len(right)} {question}: {len(right & given)} are among these {len(given)})")


def _say_what_next(folder: str) -> None:
    print(f"\nSaved in {folder}/ (see its README.md). Try next:")
    print(f"  hypercone query {folder} ancestors labrador_retriever.n.01")
    print(f"  hypercone query {folder} nearest dog.n.01 --limit 5")
    print(f"  hypercone explore {folder}     (in the browser)")
    print("  hypercone fit your-taxonomy.tsv -o your-model     (two columns named parent and child)")
