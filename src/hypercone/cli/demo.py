"""hypercone demo: fit, evaluate and query a model of the included data."""

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
from hypercone.embedding.headline import headline_sentences
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
    """Add the arguments of the command."""
    parser.add_argument("-o", "--output", default="demo-model", metavar="FOLDER", help="where to save the model")
    parser.add_argument(
        "--source", default="wordnet-nouns", metavar="DATASET", help="a smaller named dataset, to see it faster"
    )
    parser.add_argument("--seed", type=int, default=0)
    add_quiet(parser)


def run_demo(options: argparse.Namespace) -> int:
    """Learn cones and a baseline and test both; then construct cones from all edges, query them and save them."""
    refuse_unwritable_folder(options.output)
    hierarchy = load_dataset(options.source)
    split = hierarchy.split(50, options.seed)
    _print_data(options.source, hierarchy, split)
    started = time.perf_counter()
    with _fit_baseline_in_background(hierarchy, split, options.seed) as baseline:
        cones = fit(hierarchy, split=split, seed=options.seed)
        _report(cones, link_prediction(cones, split.test), _baseline(baseline, split), time.perf_counter() - started)
    constructed = _construct(hierarchy, options.seed)
    _ask(constructed, hierarchy)
    constructed.save(options.output)
    _print_next_steps(options.output)
    return 0


def _print_data(source: str, hierarchy: Hierarchy, split: Split) -> None:
    print(f"{source}: {len(hierarchy):,} nodes. Training on {len(split.train):,} edges: every direct one and half of")
    held_out, negatives = len(split.test.positives), len(split.test.negatives)
    print(f"those they imply. Held out for testing: {held_out:,} implied edges and {negatives:,} negative pairs.\n")


@contextmanager
def _fit_baseline_in_background(hierarchy: Hierarchy, split: Split, seed: int) -> Iterator[Future[Embedding]]:
    canceled = threading.Event()

    def stop_if_canceled(event: Progress) -> None:
        if canceled.is_set():
            raise KeyboardInterrupt

    # The kernels release the interpreter's lock, so the baseline runs on a second core.
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(fit, hierarchy, split=split, method=BASELINE, seed=seed, callback=stop_if_canceled)
        except BaseException:
            # Otherwise Ctrl-C would wait until the baseline is fitted.
            canceled.set()
            raise


def _baseline(fitting: Future[Embedding], split: Split) -> LinkPrediction:
    return link_prediction(fitting.result(), split.test)


def _report(cones: Embedding, ours: LinkPrediction, baseline: LinkPrediction, seconds: float) -> None:
    print(f"\nOn the held-out edges, after {seconds:.0f} s:")
    for name, found in ((cones.method, ours), (BASELINE, baseline)):
        print(f"  {name:18} {percentages(found.precision, found.recall, found.f1)}")


def _construct(hierarchy: Hierarchy, seed: int) -> Embedding:
    print("\nNow with nothing held out, as you would fit your own taxonomy: cones constructed from all edges.")
    started = time.perf_counter()
    constructed = fit(hierarchy, seed=seed)
    seconds = time.perf_counter() - started
    print(f"After {seconds:.0f} s, with all {len(hierarchy) * (len(hierarchy) - 1):,} ordered pairs of nodes counted:")
    for title, line in headline_sentences(constructed.record["headline"]).items():
        print(f"  {title:20}  {line}")
    return constructed


def _ask(cones: Embedding, hierarchy: Hierarchy) -> None:
    print("\nThree questions, answered by geometry alone:")
    for question, names in QUESTIONS:
        if all(name in cones for name in names):
            print(f"  {in_words(answer(cones, question, names, 25, 'geometry'))}")
            _compare_with_graph(cones, hierarchy, question, names[0])


def _compare_with_graph(cones: Embedding, hierarchy: Hierarchy, question: str, name: str) -> None:
    """Print how many of the listed nodes are correct, since a listing that looks good may contain errors."""
    row = hierarchy.row(name)
    true = {"ancestors": hierarchy.ancestors_of, "descendants": hierarchy.descendants_of}.get(question)
    if true is None:
        return
    correct = {hierarchy.names[other] for other in true(row).tolist()}
    given = set(getattr(cones, question)(name, by="geometry"))
    print(f"    (the graph has {len(correct)} {question}: {len(correct & given)} are among these {len(given)})")


def _print_next_steps(folder: str) -> None:
    print(f"\nSaved in {folder}/ (see its README.md). Try next:")
    print(f"  hypercone query {folder} ancestors labrador_retriever.n.01")
    print(f"  hypercone query {folder} nearest dog.n.01 --limit 5")
    print(f"  hypercone explore {folder}     (in the browser)")
    print("  hypercone fit your-taxonomy.tsv -o your-model     (two columns named parent and child)")
