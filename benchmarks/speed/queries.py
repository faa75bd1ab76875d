"""The exact index compared with a compiled scan and with gensim's walks, in one run on one core, and their agreement.

Each model is queried at its calibrated threshold, about random nodes. Without model folders, WordNet nouns are fitted
at 50 % in five and ten dimensions first, which takes minutes. A tree of 1,111,111 nodes (ten children each, six levels)
is added with points that are constructed, not learned: caps inside caps. Times are those of a call from Python, median
and 99th percentile. gensim has no cones: its ``descendants`` walks to the closest node of larger norm five times, its
``ancestors`` to the closest of smaller norm until there is none; each step is a scan of all nodes, of the same points.

    pip install gensim
    hypercone fit wordnet-nouns --method hyperbolic-cones --percent 50 --dim 5 -o nouns-5
    taskset -c 0 python -m benchmarks queries nouns-5 -o FILE
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

from benchmarks.support import import_package
from hypercone.data import load_dataset
from hypercone.embedding import Embedding, load
from hypercone.geometry import caps
from hypercone.index import ConeIndex, Scan
from hypercone.methods import Points, Settings
from hypercone.training import FitConfig, fit

KEY = ("kind", "nodes", "dim", "question")
ONE_CORE = True
PACKAGES = ("gensim",)
DIM = 5
QUESTIONS = ("descendants", "ancestors", "nearest")
AGREEMENT = "index against scan"
SMOKE = {"dataset": "tree-3-4", "dims": [2], "tree": "tree-3-4", "check": 10, "calls": [20, 10, 2], "gensim": False}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", nargs="*", help="folders of cone models (default: fit --dataset in --dims)")
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10], help="default: 5 10")
    parser.add_argument("--tree", default="tree-10-6", help="the constructed tree (default %(default)s)")
    parser.add_argument("--check", type=int, default=50_000, metavar="N", help="queries to compare, per learned model")
    parser.add_argument("--no-gensim", dest="gensim", action="store_false", help="leave gensim out")
    timed = "timed calls of index, scan and gensim (default 5000 300 10)"
    parser.add_argument("--calls", nargs=3, type=int, default=[5_000, 300, 10], metavar="N", help=timed)


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for folder in options.models:
        yield {"model": folder, "kind": "learned", "calls": options.calls, "check": options.check}
    for dim in options.dims if not options.models else []:
        name = f"{options.dataset}, {dim}-D"
        yield {"model": name, "kind": "learned", "calls": options.calls, "check": options.check}
    yield {"model": options.tree, "kind": "constructed", "calls": options.calls, "check": options.check // 50}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    embedding = model_of(settings, options)
    return [*measure(embedding, settings["calls"], options.gensim), check(embedding, settings["check"])]


def model_of(settings: Row, options: argparse.Namespace) -> Embedding:
    if settings["kind"] == "constructed":
        return construct_tree(settings["model"])
    if options.models:
        return load(settings["model"])
    dim = int(settings["model"].rsplit(" ", 1)[1].removesuffix("-D"))
    hierarchy = load_dataset(options.dataset)
    return fit(hierarchy, recipe=FitConfig(method="hyperbolic-cones", dim=dim), split=hierarchy.split(50))


def measure(embedding: Embedding, calls: list[int], with_gensim: bool) -> Iterator[Row]:
    scorer = embedding.scorer
    index, scan = ConeIndex(scorer), Scan(scorer)
    index.nearest(0, 10)
    began = time.perf_counter()
    assert ConeIndex(scorer).tree
    build = time.perf_counter() - began
    random = np.random.default_rng(1)
    names, walks = embedding.names, gensim_walks(embedding) if with_gensim else {}
    for question in QUESTIONS:
        more = (10,) if question == "nearest" else ()
        rows = random.choice(len(embedding), calls[0]).tolist()
        by_index, by_scan = getattr(index, question), getattr(scan, question)
        row: Row = {"nodes": len(embedding), "dim": embedding.dim, "question": question}
        row |= {"threshold": embedding.threshold, "build_seconds": round(build, 3)}
        row["index"] = microseconds(lambda r: by_index(r, *more), rows)  # noqa: B023 - used at once
        row["scan"] = microseconds(lambda r: by_scan(r, *more), rows[: calls[1]])  # noqa: B023
        if with_gensim:
            row["gensim"] = microseconds(lambda r: walk(walks[question], names[r]), rows[: calls[2]])  # noqa: B023
        row["times_the_scan"] = round(row["scan"]["median_us"] / row["index"]["median_us"], 1)
        found = [by_index(one, *more) for one in rows]
        row["found_median"] = float(np.median([len(one.rows) for one in found]))
        row["percent_tested"] = round(100 * float(np.mean([one.tested for one in found])) / len(embedding), 3)
        yield row


def microseconds(query: Callable[[Any], object], values: list[Any]) -> dict[str, float]:
    """Median and 99th percentile of a call."""
    query(values[0])
    times = []
    for one in values:
        began = time.perf_counter_ns()
        query(one)
        times.append((time.perf_counter_ns() - began) / 1e3)
    return {"median_us": round(float(np.median(times)), 1), "p99_us": round(float(np.percentile(times, 99)), 1)}


def gensim_walks(embedding: Embedding) -> dict[str, Callable[[str], object]]:
    poincare: Any = import_package("gensim.models.poincare")
    vectors = poincare.PoincareKeyedVectors(embedding.dim, len(embedding), dtype=np.float64)
    vectors.add_vectors(list(embedding.names), embedding.points)
    return {
        "descendants": vectors.descendants,
        "ancestors": vectors.ancestors,
        "nearest": lambda name: vectors.most_similar(name, topn=10),
    }


def walk(query: Callable[[str], object], name: str) -> None:
    try:
        query(name)
    except (KeyError, ValueError, TypeError):
        # gensim's walk down raises an error where no node is further out.
        return


def check(embedding: Embedding, count: int) -> Row:
    """Put the same random queries to index and scan, and count those with different answers."""
    scorer = embedding.scorer
    index, scan = ConeIndex(scorer), Scan(scorer)
    random = np.random.default_rng(2)
    mismatches = 0
    for question in QUESTIONS[:2]:
        for row in random.choice(len(embedding), count // 2).tolist():
            mismatches += not np.array_equal(getattr(index, question)(row).rows, getattr(scan, question)(row).rows)
    about = {"nodes": len(embedding), "dim": embedding.dim, "question": AGREEMENT}
    return about | {"asked": 2 * (count // 2), "mismatches": mismatches}


def construct_tree(dataset: str) -> Embedding:
    """A tree whose caps of children lie side by side in the cap of their parent."""
    tree = load_dataset(dataset)
    corners = spread_out(int(tree.child_lists.counts.max()), DIM - 1)
    directions, radii = np.empty((len(tree), DIM)), np.empty(len(tree))
    directions[tree.root_rows] = np.eye(DIM)[0]
    radii[tree.root_rows] = caps.cap_radius(np.eye(DIM)[0] * 0.2, Settings().K)
    for row in np.argsort(tree.depths, kind="stable").tolist():
        children = tree.child_lists[row]
        if len(children):
            radii[children] = 0.34 * radii[row]
            directions[children] = directions_around(directions[row], corners[: len(children)], 0.65 * radii[row])
    points = caps.point_from_cap(directions, radii, Settings().K)
    return Embedding(tree.names, np.ascontiguousarray(points), "hyperbolic-cones", Settings(), 0.0)


def spread_out(count: int, dim: int) -> Points:
    """Unit vectors, pushed apart from each other."""
    spokes = np.random.default_rng(0).normal(size=(count, dim))
    for _ in range(2_000):
        spokes /= np.linalg.norm(spokes, axis=1, keepdims=True)
        apart = spokes[:, None] - spokes[None]
        lengths = np.linalg.norm(apart, axis=2) + np.eye(count)
        spokes += 0.01 * (apart / lengths[..., None] ** 4).sum(axis=1)
    unit: Points = spokes / np.linalg.norm(spokes, axis=1, keepdims=True)
    return unit


def directions_around(direction: Points, corners: Points, angle: float) -> Points:
    """Directions at an angle from one, each towards a corner of the space orthogonal to it."""
    across = np.linalg.svd(direction[None])[2][1:]
    found: Points = np.cos(angle) * direction + np.sin(angle) * (corners @ across)
    return found


def problems(rows: list[Row]) -> list[str]:
    return [f"index and scan differ: {row}" for row in rows if row.get("mismatches")]


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("nodes", "points", "question", "index, median (p99)", "scan", "gensim", "index over scan", "tested")
    timed = [row for row in rows if row["question"] != AGREEMENT]
    table = markdown_table(head, (list(_cells(row)) for row in timed))
    checks = [row for row in rows if row["question"] == AGREEMENT]
    differed = _count_differences(checks)
    # A row may quote an earlier check with more queries, of code that has not changed since.
    earlier = [row["earlier"] for row in checks if "earlier" in row]
    differed += f", and in {_count_differences(earlier)} in an earlier run" if earlier else ""
    builds = {row["nodes"]: row["build_seconds"] for row in timed}
    built = " and ".join(f"{seconds:.1f} s for {nodes:,} nodes" for nodes, seconds in builds.items())
    return {"": f"{table}\nIndex and scan differed in {differed}. Building took {built}.\n"}


def _count_differences(checks: list[Row]) -> str:
    compared, different = sum(row["asked"] for row in checks), sum(row["mismatches"] for row in checks)
    return f"{different} of {compared:,} random queries"


def _cells(row: Row) -> Iterator[str]:
    yield f"{row['nodes']:,}"
    yield f"{row['kind']}, {row['dim']}-D"
    yield row["question"]
    yield f"{row['index']['median_us']:.0f} µs ({row['index']['p99_us']:.0f} µs)"
    yield f"{row['scan']['median_us'] / 1e3:.1f} ms"
    yield f"{row['gensim']['median_us'] / 1e3:.0f} ms" if "gensim" in row else "–"
    yield f"{row['times_the_scan']:,.0f} ×"
    yield f"{row['percent_tested']:.2f} %"
