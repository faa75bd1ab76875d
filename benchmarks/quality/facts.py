"""Every answer about every node of real hierarchies compared with networkx: Python, HTTP, the shell, the explorer.

A model that carries its graph answers from the graph. Each hierarchy is fitted, and parents, children, siblings,
ancestors and descendants of *every* node are asked: in Python; of a service that ``hypercone serve`` started; by
``hypercone query --names``; and, for some nodes, of the explorer's page in Chromium. The expected answers are those of
networkx, made from the edges that were read: parents, children and siblings in its transitive reduction, ancestors and
descendants in its graph. An answer differs if it lists another set of nodes, or one of them twice. Counted too are
answers in another order than by depth and row, answers that do not say that they are the graph's, and, for comparison,
nodes whose parents by geometry differ. Exit code 1 if any answer of the graph differs.

    python -m benchmarks.real_files FOLDER        (its docstring says where the files come from)
    python -m benchmarks facts FOLDER -o FILE
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table
from tools.served import served

import hypercone
from benchmarks.real_files import FILES, ONTOLOGIES, RealFile
from benchmarks.support import import_package, load_hierarchy
from hypercone.embedding import Embedding
from hypercone.errors import HyperconeError, InputError
from hypercone.explorer import write_page
from hypercone.hierarchy import Hierarchy

KEY = ("source", "method")
PACKAGES = ("networkx",)
SMOKE = {"sources": ["tree-3-3", "trove.paths"], "sample": 5}
QUESTIONS = ("parents", "children", "siblings", "ancestors", "descendants")
BY_GEOMETRY = ("parents", "ancestors")
DATASETS = {"wordnet-nouns": "WordNet 3.0 nouns", "wordnet-mammals": "WordNet 3.0 mammals"}
# All that answer by the graph.
INTERFACES = ("Python", "HTTP", "shell", "explorer")
# The other files of the benchmark ``readers`` are too large for it, or have the edges of one that is here.
READ = [
    "hp.obo",
    "go.obo.gz",
    "mondo.json.zst",
    "interneuron.json",
    "kisao.owl",
    "schemaorg.nt",
    "brick.ttl",
    "trove.paths",
    "icd10cm.outline",
    "mammals/nodes.dmp",
    "go.tsv",
    "data.noun",
]
SOURCES = [*READ, *ONTOLOGIES, *DATASETS]
OVERLAPPING = ("uberon.json.zst", "cl.json.zst", "brick.ttl", "schemaorg.nt", "interneuron.json", "wordnet-mammals")
# What the service allows in one request, with something to spare; and what a process of the shell prints at once.
NAMES_A_REQUEST, LISTED_A_REQUEST = 5_000, 90_000
NAMES_A_PROCESS, LISTED_A_PROCESS = 100_000, 1_000_000
TRY_OUT = b"Framework > Django\nFramework > Django > 5\nTopic > Internet > Django\n"

Names = list[str]
# The answers to a question about some of the nodes, by row, each with what it says that it was answered by.
Ask = Callable[[str, Sequence[int]], Iterator[tuple[Names, str]]]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, help="the files, as benchmarks.real_files leaves them")
    parser.add_argument("--sources", nargs="+", default=SOURCES, metavar="NAME", help="some files or datasets")
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="nodes to ask the explorer about (200)")
    parser.add_argument("--no-explorer", dest="explorer", action="store_false", help="leave the explorer out")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    if options.smoke and options.folder is None:
        options.folder = options.scratch
        (options.folder / "trove.paths").write_bytes(TRY_OUT)
        options.explorer = options.explorer and bool(shutil.which("chromium"))
    if options.folder is None and not set(options.sources) <= set(DATASETS):
        raise InputError("the folder of the files is missing; python -m benchmarks.real_files fills one")
    for source in options.sources:
        yield {"source": source, "method": "nested-caps", "sample": options.sample if options.explorer else 0}
    for source in options.sources:
        if source in OVERLAPPING:
            yield {"source": source, "method": "overlapping-caps", "sample": options.sample if options.explorer else 0}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The differences of one model, by interface and question."""
    source = settings["source"]
    path = options.folder / source if options.folder is not None else None
    hierarchy = load_hierarchy(str(path) if path is not None and path.exists() else source)
    judge = Judge(hierarchy)
    model = options.scratch / "model"
    began = time.perf_counter()
    embedding = hypercone.fit(hierarchy, method=settings["method"])
    seconds = {"fit": time.perf_counter() - began}
    shutil.rmtree(model, ignore_errors=True)
    embedding.save(model)
    with contextlib.ExitStack() as stack:
        asked = interfaces(embedding, model, settings["sample"], judge, stack)
        counts = {name: Counts() for name in asked}
        listed = {}
        for question in QUESTIONS:
            judge.turn_to(question)
            listed[question] = sum(map(len, judge.expected))
            for name, (ask, rows) in asked.items():
                # The cones are only asked for what the table shows.
                if name == "geometry" and question not in BY_GEOMETRY:
                    continue
                began = time.perf_counter()
                counts[name].compare(question, judge, rows, ask(question, rows))
                seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - began
    about = ONTOLOGIES.get(source) or FILES.get(source)
    return [
        {
            "content": about.content if about else DATASETS.get(source, source),
            "package": about.package if isinstance(about, RealFile) else "hypercone",
            "nodes": len(hierarchy),
            "edges": len(hierarchy.edges),
            "redundant_edges": judge.redundant,
            "nodes_with_several_parents": judge.several_parents,
            "listed": listed,
            "interfaces": {name: counted.as_row() for name, counted in counts.items()},
            "default_by": embedding.default_by,
            "seconds": {name: round(value, 1) for name, value in seconds.items()},
        }
    ]


class Judge:
    """What networkx says about every node of a hierarchy, for one question at a time.

    >>> judge = Judge(Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("a", "c")]))
    >>> judge.turn_to("parents")
    >>> judge.expected, judge.redundant
    ([[], ['a'], ['b']], 1)
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        networkx: Any = import_package("networkx")
        self.names = hierarchy.names
        self.networkx, self.graph = networkx, networkx.DiGraph()
        self.graph.add_nodes_from(range(len(hierarchy)))
        self.graph.add_edges_from(hierarchy.edges.tolist())
        self.reduced = networkx.transitive_reduction(self.graph)
        self.redundant = self.graph.number_of_edges() - self.reduced.number_of_edges()
        self.several_parents = sum(count > 1 for _, count in self.reduced.in_degree())
        depths: dict[int, int] = {}
        for row in networkx.topological_sort(self.graph):
            depths[row] = max((depths[parent] + 1 for parent in self.graph.pred[row]), default=0)
        self.place = [(depths[row], row) for row in range(len(hierarchy))]
        self.expected: list[Names] = []

    def turn_to(self, question: str) -> None:
        """Find the expected answers to a question, each by depth and row."""
        find = getattr(self, question)
        self.expected = [self._names(find(row)) for row in range(len(self.place))]

    def _names(self, rows: set[int]) -> Names:
        return [self.names[row] for row in sorted(rows, key=self.place.__getitem__)]

    def parents(self, row: int) -> set[int]:
        """The parents in the reduction."""
        return set(self.reduced.pred[row])

    def children(self, row: int) -> set[int]:
        """The children in the reduction."""
        return set(self.reduced.succ[row])

    def siblings(self, row: int) -> set[int]:
        """The other children of the parents."""
        return {child for parent in self.reduced.pred[row] for child in self.reduced.succ[parent]} - {row}

    def ancestors(self, row: int) -> set[int]:
        """All that the row can be reached from."""
        found: set[int] = self.networkx.ancestors(self.graph, row)
        return found

    def descendants(self, row: int) -> set[int]:
        """All that can be reached from the row."""
        found: set[int] = self.networkx.descendants(self.graph, row)
        return found

    def batches(self, rows: Sequence[int], most_names: int, most_listed: int) -> Iterator[list[int]]:
        """The rows in batches that list no more than so much, one at least."""
        batch: list[int] = []
        listed = 0
        for row in rows:
            size = len(self.expected[row])
            if batch and (len(batch) == most_names or listed + size > most_listed):
                yield batch
                batch, listed = [], 0
            batch.append(row)
            listed += size
        if batch:
            yield batch


@dataclass
class Counts:
    """The differences of one interface, by question, with the first few as examples."""

    asked: dict[str, int] = field(default_factory=dict)
    different: dict[str, int] = field(default_factory=dict)
    out_of_order: dict[str, int] = field(default_factory=dict)
    not_by_graph: dict[str, int] = field(default_factory=dict)
    examples: list[Row] = field(default_factory=list)

    def compare(
        self, question: str, judge: Judge, rows: Sequence[int], answers: Iterator[tuple[Names, str]], most: int = 3
    ) -> None:
        """Compare the answers about these rows with those expected."""
        different = out_of_order = not_by_graph = 0
        for row, (found, by) in zip(rows, answers, strict=True):
            expected = judge.expected[row]
            not_by_graph += by != "graph"
            if found == expected:
                continue
            if sorted(found) == sorted(expected):
                out_of_order += 1
                continue
            different += 1
            if len(self.examples) < most:
                self.examples.append(example(question, judge.names[row], found, expected))
        self.asked[question], self.different[question] = len(rows), different
        self.out_of_order[question], self.not_by_graph[question] = out_of_order, not_by_graph

    def as_row(self) -> Row:
        """The counts as a row of results."""
        row = {"asked": self.asked, "different": self.different, "out_of_order": self.out_of_order}
        row["not_by_graph"] = self.not_by_graph
        return row | ({"examples": self.examples} if self.examples else {})


def example(question: str, name: str, found: Names, expected: Names) -> Row:
    """What is missing from an answer, and what is too much: a few names of each."""
    return {
        "question": question,
        "name": name,
        "missing": sorted(set(expected) - set(found))[:3],
        "too_much": sorted(set(found) - set(expected))[:3],
        "twice": len(found) - len(set(found)),
    }


def interfaces(
    embedding: Embedding, model: Path, sample: int, judge: Judge, stack: contextlib.ExitStack
) -> dict[str, tuple[Ask, Sequence[int]]]:
    """How each interface is asked, and about which rows; what they need is open until the stack is closed."""
    rows = range(len(embedding))
    address = stack.enter_context(served(str(model))).address
    connection = stack.enter_context(contextlib.closing(http.client.HTTPConnection(*address, timeout=120)))
    found: dict[str, tuple[Ask, Sequence[int]]] = {
        "Python": (lambda question, rows: ask_python(embedding, question, rows), rows),
        "HTTP": (lambda question, rows: ask_service(connection, judge, question, rows), rows),
        "shell": (lambda question, rows: ask_shell(model, judge, question, rows), rows),
    }
    if sample:
        page = stack.enter_context(open_page(embedding, model.with_suffix(".html")))
        chosen = np.random.default_rng(0).choice(len(embedding), min(sample, len(embedding)), replace=False)
        found["explorer"] = (lambda question, rows: ask_page(page, embedding, question, rows), sorted(chosen.tolist()))
    found["geometry"] = (lambda question, rows: ask_geometry(embedding, question, rows), rows)
    return found


def ask_python(embedding: Embedding, question: str, rows: Sequence[int]) -> Iterator[tuple[Names, str]]:
    """The answers of the library, one call per node."""
    ask = getattr(embedding, question)
    for row in rows:
        yield ask(embedding.names[row]), embedding.default_by


def ask_geometry(embedding: Embedding, question: str, rows: Sequence[int]) -> Iterator[tuple[Names, str]]:
    """The answers of the cones."""
    ask = getattr(embedding, question)
    for row in rows:
        yield ask(embedding.names[row], by="geometry"), "geometry"


def ask_service(
    connection: http.client.HTTPConnection, judge: Judge, question: str, rows: Sequence[int]
) -> Iterator[tuple[Names, str]]:
    """The answers of a running service, many nodes per request."""
    for batch in judge.batches(rows, NAMES_A_REQUEST, LISTED_A_REQUEST):
        body = json.dumps({"names": [judge.names[row] for row in batch]})
        connection.request("POST", f"/v1/{question}", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise HyperconeError(f"the service answered {answer.status} to {question}: {content[:300].decode()}")
        yield from parsed(json.loads(content)["results"], question, judge, batch)


def ask_shell(model: Path, judge: Judge, question: str, rows: Sequence[int]) -> Iterator[tuple[Names, str]]:
    """The answers that the command prints, many nodes per process."""
    for batch in judge.batches(rows, NAMES_A_PROCESS, LISTED_A_PROCESS):
        lines = model.with_name("names.txt")
        lines.write_text("\n".join(judge.names[row] for row in batch) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "hypercone.cli.main", "query", str(model), question, "--json"]
        done = subprocess.run([*command, "--names", str(lines)], capture_output=True, check=False)
        if done.returncode:
            raise HyperconeError(f"hypercone query ended with {done.returncode}: {done.stderr.decode()}")
        yield from parsed(json.loads(done.stdout)["results"], question, judge, batch)


def parsed(answers: list[Row], question: str, judge: Judge, batch: list[int]) -> Iterator[tuple[Names, str]]:
    """Names and ``by`` of each answer, which has to be about its node and to count what it lists."""
    for row, answer in zip(batch, answers, strict=True):
        listed = [one["name"] for one in answer[question]]
        if (answer["name"], answer["count"]) != (judge.names[row], len(listed)):
            raise HyperconeError(f"asked for {question} of {judge.names[row]!r}: {json.dumps(answer)[:300]}")
        yield listed, answer.get("by", "")


@contextlib.contextmanager
def open_page(embedding: Embedding, path: Path) -> Iterator[Any]:
    """The explorer's page in a browser."""
    playwright: Any = import_package("playwright.sync_api")
    program = shutil.which("chromium")
    if not program:
        raise HyperconeError("there is no chromium; install it, or leave the explorer out by --no-explorer")
    write_page(embedding, path)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(path.as_uri())
        page.evaluate("window.hypercone.ready")
        yield page
        browser.close()


def ask_page(page: Any, embedding: Embedding, question: str, rows: Sequence[int]) -> Iterator[tuple[Names, str]]:
    """What the panel of the page lists for selected nodes."""
    raise NotImplementedError


def differences(rows: list[Row], interface: str, *questions: str) -> int:
    """The number of answers of an interface that differ."""
    counted = [row["interfaces"][interface]["different"] for row in rows if interface in row["interfaces"]]
    return sum(count for one in counted for question, count in one.items() if question in (questions or QUESTIONS))


def summarize(rows: list[Row]) -> Row:
    """Answers compared and different, by interface, over all hierarchies."""
    found: Row = {"hierarchies": len({row["source"] for row in rows}), "models": len(rows)}
    for interface in dict.fromkeys(name for row in rows for name in row["interfaces"]):
        counted = [row["interfaces"][interface] for row in rows if interface in row["interfaces"]]
        kinds = counted[0]
        found[interface] = {
            kind: sum(sum(one[kind].values()) for one in counted) for kind in kinds if kind != "examples"
        }
    return found


def problems(rows: list[Row]) -> list[str]:
    found = []
    for row in rows:
        if row["default_by"] != "graph":
            found.append(f"{row['source']}: the model answers by {row['default_by']}")
        for name, counted in row["interfaces"].items():
            bad = {kind: sum(counted[kind].values()) for kind in ("different", "out_of_order", "not_by_graph")}
            if name != "geometry" and any(bad.values()):
                found.append(f"{row['source']}, {row['method']}, {name}: {bad} {counted.get('examples', '')}")
    return found


def tables(rows: list[Row]) -> dict[str, str]:
    """One line per model: answers that differ, by interface, of those compared."""
    head = ["hierarchy", "package", "model", "nodes", "edges", "redundant", "relatives", *INTERFACES, "by geometry"]
    cells = [list(_cells(row)) for row in rows]
    found = summarize(rows)
    graph = [found[name] for name in INTERFACES if name in found]
    compared, different = (sum(sum_of[kind] for sum_of in graph) for kind in ("asked", "different"))
    said = (
        f"{different:,} of {compared:,} answers by the graph differ from those of networkx, of {found['models']} models"
        f" of {found['hierarchies']} hierarchies. The last column is the share of nodes whose parents the cones alone"
        " would have had wrong."
    )
    return {"": f"{markdown_table(head, cells, right=head[3:])}\n{said}\n"}


def _cells(row: Row) -> Iterator[str]:
    yield row["content"]
    yield row["package"]
    yield row["method"]
    yield from (f"{row[name]:,}" for name in ("nodes", "edges", "redundant_edges"))
    yield f"{sum(row['listed'].values()):,}"
    for name in INTERFACES:
        yield f"{differences([row], name)}" if name in row["interfaces"] else "–"
    yield f"{100 * differences([row], 'geometry', 'parents') / row['nodes']:.1f} %"
