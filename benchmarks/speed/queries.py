"""The exact index against a compiled scan and gensim's walks, in one run on one core, and their agreement.

    pip install gensim
    hypercone fit wordnet-nouns --percent 50 --dim 5 -o nouns-5      (and --dim 10 -o nouns-10)
    taskset -c 0 python benchmarks/queries.py nouns-5 nouns-10 -o benchmarks/results/queries.json

Each model is asked at its calibrated threshold, about random nodes. A tree of 1,111,111 nodes (ten children each, six
deep) is added with points constructed, not learned: caps inside caps. Times are those of a call from Python, median and
99th percentile. gensim has no cones: its ``descendants`` walks to the closest node of larger norm five times, its
``ancestors`` to the closest of smaller norm until there is none, each step a scan of all nodes, of the same points.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.embedding import Embedding, load
from hypercone.geometry import caps
from hypercone.index import ConeIndex, Scan
from hypercone.methods import Points, Settings
from timing import pin_to_one_core

BRANCHES, FLOORS, DIM = 10, 6, 5
QUESTIONS = ("descendants", "ancestors", "nearest")
TIMED = {"index": 5_000, "scan": 300, "gensim": 10}


def constructed_tree() -> Embedding:
    """The million-node tree: the caps of children lie side by side in the cap of their parent."""
    tree = load_dataset(f"tree-{BRANCHES}-{FLOORS}")
    corners = spread_out(BRANCHES, DIM - 1)
    directions, radii = np.empty((len(tree), DIM)), np.empty(len(tree))
    directions[tree.root_rows], radii[tree.root_rows] = (
        np.eye(DIM)[0],
        caps.cap_radius(np.eye(DIM)[0] * 0.2, Settings().K),
    )
    for row in np.argsort(tree.depths, kind="stable").tolist():
        children = tree.child_lists[row]
        if len(children):
            radii[children] = 0.34 * radii[row]
            directions[children] = moved(directions[row], corners[: len(children)], 0.65 * radii[row])
    points = caps.point_from_cap(directions, radii, Settings().K)
    return Embedding(tree.names, np.ascontiguousarray(points), "hyperbolic-cones", Settings(), 0.0)


def spread_out(count: int, dim: int) -> Points:
    """Unit vectors pushed apart from each other."""
    spokes = np.random.default_rng(0).normal(size=(count, dim))
    for _ in range(2_000):
        spokes /= np.linalg.norm(spokes, axis=1, keepdims=True)
        apart = spokes[:, None] - spokes[None]
        lengths = np.linalg.norm(apart, axis=2) + np.eye(count)
        spokes += 0.01 * (apart / lengths[..., None] ** 4).sum(axis=1)
    unit: Points = spokes / np.linalg.norm(spokes, axis=1, keepdims=True)
    return unit


def moved(direction: Points, corners: Points, angle: float) -> Points:
    """Directions at an angle from one, each towards a corner of the space across it."""
    across = np.linalg.svd(direction[None])[2][1:]
    found: Points = np.cos(angle) * direction + np.sin(angle) * (corners @ across)
    return found


def microseconds(ask: Callable[[Any], object], asked: list[Any]) -> dict[str, float]:
    """Median and 99th percentile of a call."""
    ask(asked[0])
    times = []
    for one in asked:
        began = time.perf_counter_ns()
        ask(one)
        times.append((time.perf_counter_ns() - began) / 1e3)
    return {"median_us": round(float(np.median(times)), 1), "p99_us": round(float(np.percentile(times, 99)), 1)}


def gensim_walks(embedding: Embedding) -> dict[str, Callable[[str], object]]:
    from gensim.models.poincare import PoincareKeyedVectors

    vectors = PoincareKeyedVectors(embedding.dim, len(embedding), dtype=np.float64)
    vectors.add_vectors(list(embedding.names), embedding.points)
    return {
        "descendants": vectors.descendants,
        "ancestors": vectors.ancestors,
        "nearest": lambda name: vectors.most_similar(name, topn=10),
    }


def measure(embedding: Embedding, kind: str) -> Iterator[dict[str, Any]]:
    scorer = embedding.scorer
    index, scan = ConeIndex(scorer), Scan(scorer)
    index.nearest(0, 10)
    began = time.perf_counter()
    assert ConeIndex(scorer).tree
    build = time.perf_counter() - began
    random = np.random.default_rng(1)
    names, walks = embedding.names, gensim_walks(embedding)
    for question in QUESTIONS:
        more = (10,) if question == "nearest" else ()
        rows = random.choice(len(embedding), TIMED["index"]).tolist()
        by_index, by_scan = getattr(index, question), getattr(scan, question)
        row: dict[str, Any] = {"kind": kind, "nodes": len(embedding), "dim": embedding.dim, "question": question}
        row |= {"threshold": embedding.threshold, "build_seconds": round(build, 3)}
        row["index"] = microseconds(lambda r: by_index(r, *more), rows)  # noqa: B023 - used at once
        row["scan"] = microseconds(lambda r: by_scan(r, *more), rows[: TIMED["scan"]])  # noqa: B023
        row["gensim"] = microseconds(lambda r: walk(walks[question], names[r]), rows[: TIMED["gensim"]])  # noqa: B023
        row["times_the_scan"] = round(row["scan"]["median_us"] / row["index"]["median_us"], 1)
        found = [by_index(one, *more) for one in rows]
        row["found_median"] = float(np.median([len(one.rows) for one in found]))
        row["percent_tested"] = round(100 * float(np.mean([one.tested for one in found])) / len(embedding), 3)
        yield row


def walk(ask: Callable[[str], object], name: str) -> None:
    try:
        ask(name)
    except (KeyError, ValueError, TypeError):
        # gensim's walk downwards breaks off with an error where there is nothing further out.
        return


def check(embedding: Embedding, count: int) -> dict[str, Any]:
    """Ask index and scan the same random questions, and count those with different answers."""
    scorer = embedding.scorer
    index, scan = ConeIndex(scorer), Scan(scorer)
    random = np.random.default_rng(2)
    mismatches = 0
    for question in QUESTIONS[:2]:
        for row in random.choice(len(embedding), count // 2).tolist():
            mismatches += not np.array_equal(getattr(index, question)(row).rows, getattr(scan, question)(row).rows)
    return {"nodes": len(embedding), "dim": embedding.dim, "asked": 2 * (count // 2), "mismatches": mismatches}


def markdown(rows: list[dict[str, Any]], checks: list[dict[str, Any]]) -> str:
    """The table for the pages."""
    lines = [
        "| nodes | points | question | index, median (p99) | scan | gensim | index over scan | tested |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        index, scan, walk = row["index"], row["scan"], row["gensim"]
        lines.append(
            f"| {row['nodes']:,} | {row['kind']}, {row['dim']}-D | {row['question']} | {index['median_us']:.0f} µs "
            f"({index['p99_us']:.0f} µs) | {scan['median_us'] / 1e3:.1f} ms | {walk['median_us'] / 1e3:.0f} ms | "
            f"{row['times_the_scan']:,.0f} × | {row['percent_tested']:.2f} % |"
        )
    asked, wrong = sum(one["asked"] for one in checks), sum(one["mismatches"] for one in checks)
    builds = {row["nodes"]: row["build_seconds"] for row in rows}
    built = " and ".join(f"{seconds:.1f} s for {nodes:,} nodes" for nodes, seconds in builds.items())
    lines += ["", f"Index and scan differed in {wrong} of {asked:,} random questions. Building took {built}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="model folders, of cones")
    parser.add_argument("--check", type=int, default=50_000, metavar="N", help="questions to compare, of each model")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    pin_to_one_core()
    asked = [(load(folder), "learned", options.check) for folder in options.models]
    asked.append((constructed_tree(), "constructed", options.check // 50))
    rows: list[dict[str, Any]] = []
    for model, kind, _ in asked:
        rows += measure(model, kind)
        print(json.dumps(rows[-len(QUESTIONS) :], indent=1), flush=True)
    checks = [check(model, count) for model, _, count in asked]
    print(json.dumps(checks))
    if options.output:
        content = {"machine": describe_machine(), "questions": rows, "checks": checks}
        options.output.write_text(json.dumps(content, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(markdown(rows, checks))


if __name__ == "__main__":
    main()
