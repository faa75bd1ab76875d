"""Answers by the graph beside those by the cones and by networkx: time of a call, and per row of a long list.

WordNet nouns, a tree of 1,111,111 nodes, random graphs in which a tenth of the nodes have two parents, and with a
folder of ``benchmarks.real_files`` the NCBI taxonomy, 2.6 million nodes. Each is constructed as nested caps. Random
nodes are asked about, and pairs of which half are true, by the public methods of Python, names included, median and
95th percentile of a call; networkx is given numbers instead of names: ``has_path``, ``ancestors``, ``descendants`` and
the predecessors of a node. The cost per row is that of ``Hierarchy.lineage``, which knows no names, for lists of at
least 10,000 rows; long lists of ancestors are those of a graph of a hundred layers, where every node has two parents in
the layer above. Building counts everything that an answer needs once, from the edges. All on one core, the best of
several passes.

    python -m benchmarks.real_files FOLDER        (its docstring says where the files come from)
    python -m benchmarks lineage FOLDER -o FILE
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

import hypercone
from benchmarks.support import import_package, load_hierarchy, pin_to_one_core, run_in_new_process
from hypercone import Hierarchy
from hypercone._arrays import Rows
from hypercone.embedding import Embedding

KEY = ("hierarchy", "nodes")
ONE_CORE = True
PACKAGES = ("networkx",)
SMOKE = {"sources": ["tree-3-4"], "random": [300], "layers": 5, "calls": [20, 5], "repeats": 1, "long": 20}
QUESTIONS = ("is_a", "ancestors", "parents", "descendants")
RANDOM, LAYERS, TAXONOMY = "random graph", "layers", "nodes.dmp"
TITLES = {"wordnet-nouns": "WordNet nouns", "tree-10-6": "tree of ten children each", TAXONOMY: "NCBI taxonomy"}
TWO_PARENTS = 0.1
MOST_MICROSECONDS, MOST_NANOSECONDS_A_ROW = 50.0, 20.0
# Calls are stopped after this many seconds per question, because networkx may take minutes.
PATIENCE = 20.0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, help="the files of benchmarks.real_files")
    parser.add_argument("--sources", nargs="*", default=["wordnet-nouns", "tree-10-6"], help="datasets and files")
    sizes = [1_000_000, 2_600_000]
    parser.add_argument("--random", nargs="*", type=int, default=sizes, metavar="N", help="nodes of random graphs")
    parser.add_argument("--layers", type=int, default=10_000, metavar="N", help="nodes of each of a hundred layers")
    calls = "timed calls, and those of networkx (default 2000 200)"
    parser.add_argument("--calls", nargs=2, type=int, default=[2_000, 200], metavar="N", help=calls)
    parser.add_argument("--repeats", type=int, default=5, help="the best of this many passes counts")
    parser.add_argument("--long", type=int, default=10_000, metavar="N", help="rows of a long list (default 10000)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    taxonomy = [str(options.folder / TAXONOMY)] if options.folder is not None else []
    found = [(source, len(load_hierarchy(source))) for source in options.sources]
    found += [(RANDOM, size) for size in options.random]
    found += [(source, nodes_of_dump(Path(source))) for source in taxonomy]
    found += [(LAYERS, 100 * options.layers)]
    for source, size in found:
        title = TITLES.get(Path(source).name, source)
        yield {"hierarchy": title, "nodes": size, "calls": options.calls, "repeats": options.repeats}


def nodes_of_dump(path: Path) -> int:
    """The number of taxa."""
    with path.open("rb") as file:
        return sum(1 for _ in file)


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    # In a process of its own, which returns the memory of networkx.
    return [run_in_new_process(measure, settings, options.folder, options.long)]


def hierarchy_of(title: str, nodes: int, folder: Path | None) -> Hierarchy:
    """A hierarchy by its title in the table."""
    if title in (RANDOM, LAYERS):
        return random_graph(nodes) if title == RANDOM else layers(nodes // 100)
    source = {name: key for key, name in TITLES.items()}.get(title, title)
    return load_hierarchy(str(folder / source) if folder is not None and source == TAXONOMY else source)


def random_graph(count: int) -> Hierarchy:
    """Each node under a random earlier one, some under two."""
    random = np.random.default_rng(0)
    rows = np.arange(1, count)
    again = rows[random.random(count - 1) < TWO_PARENTS]
    children = np.concatenate([rows, again])
    parents = (random.random(len(children)) * children).astype(np.int64)
    return Hierarchy([f"n{row}" for row in range(count)], np.stack([parents, children], axis=1))


def layers(width: int, count: int = 100) -> Hierarchy:
    """Every node has two random parents in the layer above."""
    children = np.repeat(np.arange(width, width * count), 2)
    above = (children // width - 1) * width
    parents = above + np.random.default_rng(0).integers(width, size=len(children))
    return Hierarchy([f"n{row}" for row in range(width * count)], np.stack([parents, children], axis=1))


def measure(settings: Row, folder: Path | None, long: int) -> Row:
    """All figures of one hierarchy."""
    pin_to_one_core()
    build(load_hierarchy("tree-3-3"))
    hierarchy = hierarchy_of(settings["hierarchy"], settings["nodes"], folder)
    row: Row = {"edges": len(hierarchy.edges)} | measure_build(hierarchy, settings["repeats"])
    row |= measure_long_lists(hierarchy, settings["repeats"], long)
    if settings["hierarchy"] != LAYERS:
        row |= measure_calls(hierarchy, settings["calls"], settings["repeats"])
    return row


def build(hierarchy: Hierarchy) -> None:
    """Ask each question once, which builds whatever it needs."""
    lineage = hierarchy.lineage
    last = len(hierarchy) - 1
    lineage.ancestors(last), lineage.descendants(last), lineage.parents(last), lineage.children(last)
    lineage.is_above([0], [last])


def measure_build(hierarchy: Hierarchy, repeats: int) -> Row:
    """Seconds of CPU time from the edges to all answers, and the memory that this takes."""
    seconds = []
    for _ in range(min(repeats, 3)):
        fresh = Hierarchy(hierarchy.names, hierarchy.edges)
        began = time.process_time()
        build(fresh)
        seconds.append(time.process_time() - began)
    fresh = Hierarchy(hierarchy.names, hierarchy.edges)
    tracemalloc.start()
    build(fresh)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "build_seconds": round(min(seconds), 3),
        "megabytes": round(held / 1e6, 1),
        "peak_megabytes": round(peak / 1e6, 1),
    }


def measure_long_lists(hierarchy: Hierarchy, repeats: int, long: int) -> Row:
    """Nanoseconds per row of lists with at least so many rows; nothing where there are none."""
    lineage, random = hierarchy.lineage, np.random.default_rng(2)
    found = {}
    # Long lists are those of the shallowest and of the deepest rows.
    by_depth = np.argsort(hierarchy.depths, kind="stable")
    for question, rows in (("descendants", by_depth[:2_000]), ("ancestors", by_depth[-2_000:])):
        ask = getattr(lineage, question)
        some = random.choice(rows, min(len(rows), 200), replace=False).tolist()
        candidates = [*rows[:20].tolist(), *some] if question == "descendants" else some
        chosen = [row for row in dict.fromkeys(candidates) if len(ask(row)) >= long][:20]
        if not chosen:
            continue
        per_row = [best_nanoseconds(ask, row, 4 * repeats) / len(ask(row)) for row in chosen]
        found[question] = {
            "lists": len(chosen),
            "rows_median": float(np.median([len(ask(row)) for row in chosen])),
            "ns_a_row_median": round(float(np.median(per_row)), 2),
            "ns_a_row_most": round(max(per_row), 2),
        }
    return {"long_lists": found}


def best_nanoseconds(ask: Callable[[int], Rows], row: int, repeats: int) -> int:
    """CPU time, because a long list may take long enough to be interrupted."""
    times = []
    for _ in range(repeats):
        began = time.thread_time_ns()
        ask(row)
        times.append(time.thread_time_ns() - began)
    return min(times)


def measure_calls(hierarchy: Hierarchy, calls: list[int], repeats: int) -> Row:
    """Median and 95th percentile of a call by graph, by geometry and by networkx, of the same nodes."""
    networkx: Any = import_package("networkx")
    embedding = hypercone.fit(hierarchy, method="nested-caps", dim=5)
    # Without this it would scan at first.
    assert embedding.index.tree
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(hierarchy)))
    graph.add_edges_from(hierarchy.edges.tolist())
    by_networkx: dict[str, Callable[..., object]] = {
        "is_a": lambda child, parent: networkx.has_path(graph, parent, child),
        "ancestors": lambda row: networkx.ancestors(graph, row),
        "parents": lambda row: list(graph.predecessors(row)),
        "descendants": lambda row: networkx.descendants(graph, row),
    }
    found: Row = {}
    for question, asked in questions(hierarchy, calls[0]).items():
        named = [tuple(hierarchy.names[row] for row in rows) for rows in asked]
        answers = (len(hierarchy.lineage.descendants(rows[0])) for rows in asked) if question == "descendants" else ()
        figures: Row = {"listed_mean": round(float(np.mean(list(answers))), 1)} if question == "descendants" else {}
        for by in ("graph", "geometry"):
            figures[by] = microseconds(by_name(embedding, question, by), named, repeats)
        figures["networkx"] = microseconds(by_networkx[question], asked[: calls[1]], 1)
        figures["times_networkx"] = round(figures["networkx"]["median_us"] / figures["graph"]["median_us"], 1)
        found[question] = figures
    return found


def by_name(embedding: Embedding, question: str, by: str) -> Callable[..., object]:
    ask = getattr(embedding, question)
    # The graph is what is asked by default.
    return ask if by == "graph" else lambda *names: ask(*names, by=by)


def questions(hierarchy: Hierarchy, calls: int) -> dict[str, list[tuple[int, ...]]]:
    """Random rows; for ``is_a`` a row with one of its ancestors, and in turn with a random row."""
    random = np.random.default_rng(1)
    rows = random.integers(len(hierarchy), size=calls).tolist()
    pairs: list[tuple[int, ...]] = []
    for turn, row in enumerate(rows):
        above = hierarchy.lineage.ancestors(row)
        is_true = turn % 2 == 0 and len(above) > 0
        pairs.append((row, int(random.choice(above) if is_true else random.integers(len(hierarchy)))))
    return {"is_a": pairs} | {question: [(row,) for row in rows] for question in QUESTIONS[1:]}


def microseconds(ask: Callable[..., object], asked: list[tuple[Any, ...]], repeats: int) -> Row:
    """Median and 95th percentile of a call in the best of several passes."""
    ask(*asked[0])
    found = []
    began = time.perf_counter()
    for _ in range(repeats):
        times = []
        for arguments in asked:
            before = time.perf_counter_ns()
            ask(*arguments)
            times.append((time.perf_counter_ns() - before) / 1e3)
            if time.perf_counter() - began > PATIENCE:
                break
        found.append((float(np.median(times)), float(np.percentile(times, 95)), len(times)))
        if time.perf_counter() - began > PATIENCE:
            break
    median, p95, calls = min(found)
    return {"median_us": round(median, 2), "p95_us": round(p95, 2), "calls": calls}


def problems(rows: list[Row]) -> list[str]:
    found = []
    for row in rows:
        about = f"{row['hierarchy']}, {row['nodes']:,} nodes"
        for question in ("is_a", "ancestors"):
            if question in row and row[question]["graph"]["median_us"] > MOST_MICROSECONDS:
                found.append(f"{about}: {question} takes {row[question]['graph']['median_us']} µs")
        for question, figures in row["long_lists"].items():
            if figures["ns_a_row_median"] > MOST_NANOSECONDS_A_ROW:
                found.append(f"{about}: {question} take {figures['ns_a_row_median']} ns a row")
    return found


def tables(rows: list[Row]) -> dict[str, str]:
    """The times of calls, and what long lists and building cost."""
    head = ("hierarchy", "nodes", "question", "graph, median (p95)", "cones", "networkx", "times as fast as networkx")
    calls = [
        (row["hierarchy"], f"{row['nodes']:,}", f"`{question}`", *_times(row[question]))
        for row in rows
        for question in QUESTIONS
        if question in row
    ]
    costs = ("hierarchy", "nodes", "edges", "descendants, ns a row", "ancestors, ns a row", "build", "memory")
    lists = [
        (
            row["hierarchy"],
            f"{row['nodes']:,}",
            f"{row['edges']:,}",
            *(_cost(row["long_lists"].get(question)) for question in ("descendants", "ancestors")),
            f"{row['build_seconds']:.2f} s",
            f"{row['megabytes']:.0f} MB",
        )
        for row in rows
    ]
    first, second = markdown_table(head, calls, right=head[3:]), markdown_table(costs, lists, right=costs[1:])
    return {"": f"{first}\n{second}"}


def _times(figures: Row) -> Iterator[str]:
    for by in ("graph", "geometry", "networkx"):
        one = figures[by]
        yield f"{_microseconds(one['median_us'])} ({_microseconds(one['p95_us'])})"
    yield f"{figures['times_networkx']:,.1f} ×"


def _microseconds(value: float) -> str:
    return f"{value:,.1f} µs" if value < 100 else f"{value:,.0f} µs"


def _cost(figures: Row | None) -> str:
    return "–" if figures is None else f"{figures['ns_a_row_median']:.1f} ({figures['rows_median']:,.0f} rows)"
