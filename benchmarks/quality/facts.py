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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table
from tools.served import served

import hypercone
from benchmarks.real_files import FILES, ONTOLOGIES
from benchmarks.support import import_package, load_hierarchy
from hypercone.embedding import Embedding
from hypercone.errors import HyperconeError, InputError
from hypercone.explorer import write_page
from hypercone.hierarchy import Hierarchy

KEY = ("source", "method", "asked")
PACKAGES = ("networkx",)
SMOKE = {"sources": ["tree-3-3", "trove.paths"], "sample": 5}
QUESTIONS = ("parents", "children", "siblings", "ancestors", "descendants")
# All that answer by the graph; and the cones, which are asked less.
INTERFACES = ("Python", "HTTP", "shell", "explorer")
GEOMETRY, BY_GEOMETRY = "geometry", ("parents", "ancestors")
KINDS = ("asked", "different", "out_of_order", "not_by_graph")
# A row is about all nodes in every interface but the explorer, or about some nodes in the explorer.
EVERY, SAMPLE = "every node", "some nodes in the explorer"
DATASETS = {"wordnet-nouns": "WordNet 3.0 nouns", "wordnet-mammals": "WordNet 3.0 mammals"}
TITLES = DATASETS | {"mammals/nodes.dmp": "mammals of the NCBI taxonomy"}
# The other files of the benchmark ``readers`` are too large for it, or have the edges of one that is here.
READ = [
    "kisao.owl",
    "trove.paths",
    "schemaorg.nt",
    "interneuron.json",
    "brick.ttl",
    "mammals/nodes.dmp",
    "hp.obo",
    "icd10cm.outline",
    "go.obo.gz",
    "go.tsv",
    "data.noun",
    "mondo.json.zst",
]
SOURCES = ["wordnet-mammals", *ONTOLOGIES, *READ, "wordnet-nouns"]
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
    models = [(source, "nested-caps") for source in options.sources]
    models += [(source, "overlapping-caps") for source in options.sources if source in OVERLAPPING]
    for source, method in models:
        yield {"source": source, "method": method, "asked": EVERY}
    for source, method in models if options.explorer else []:
        yield {"source": source, "method": method, "asked": SAMPLE, "sample": options.sample}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The differences of one model, by interface and question."""
    source = settings["source"]
    path = options.folder / source if options.folder is not None else None
    hierarchy = load_hierarchy(str(path) if path is not None and path.exists() else source)
    judge = Judge(hierarchy)
    began = time.perf_counter()
    embedding = hypercone.fit(hierarchy, method=settings["method"])
    row: Row = {
        "default_by": embedding.default_by,
        "nodes": len(hierarchy),
        "edges": len(hierarchy.edges),
        "redundant_edges": judge.redundant,
        "nodes_with_several_parents": judge.several_parents,
        "fit_seconds": round(time.perf_counter() - began, 1),
    }
    with contextlib.ExitStack() as stack:
        if settings["asked"] == SAMPLE:
            asked = in_explorer(embedding, options.scratch, settings["sample"], stack)
        else:
            asked = everywhere(embedding, options.scratch, judge, stack)
        return [about(source) | row | compare(judge, asked)]


def about(source: str) -> Row:
    """What a hierarchy is, and where it comes from."""
    file = ONTOLOGIES.get(source) or FILES.get(source)
    content = TITLES.get(source) or (file.content if file else source)
    return {"content": content, "package": file.package if file else ""}


def compare(judge: Judge, asked: dict[str, tuple[Ask, Sequence[int]]]) -> Row:
    """Put every question to every interface, and count."""
    counts = {name: Counts() for name in asked}
    seconds = dict.fromkeys(asked, 0.0)
    listed = {}
    for question in QUESTIONS:
        judge.turn_to(question)
        listed[question] = sum(map(len, judge.expected))
        for name, (ask, rows) in asked.items():
            if name == GEOMETRY and question not in BY_GEOMETRY:
                continue
            began = time.perf_counter()
            counts[name].compare(question, judge, rows, ask(question, rows))
            seconds[name] += time.perf_counter() - began
    return {
        "listed": listed,
        "interfaces": {name: counted.as_row() for name, counted in counts.items()},
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
    }


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


def everywhere(
    embedding: Embedding, scratch: Path, judge: Judge, stack: contextlib.ExitStack
) -> dict[str, tuple[Ask, Sequence[int]]]:
    """How each interface is asked, and about which rows; the service runs until the stack is closed."""
    model, rows = scratch / "model", range(len(embedding))
    shutil.rmtree(model, ignore_errors=True)
    embedding.save(model)
    address = stack.enter_context(served(str(model))).address
    return {
        "Python": (partial(ask_python, embedding), rows),
        "HTTP": (partial(ask_service, address, judge), rows),
        "shell": (partial(ask_shell, model, judge), rows),
        GEOMETRY: (partial(ask_geometry, embedding), rows),
    }


def in_explorer(
    embedding: Embedding, scratch: Path, sample: int, stack: contextlib.ExitStack
) -> dict[str, tuple[Ask, Sequence[int]]]:
    """The page, open until the stack is closed, and some rows: a root, then nodes with children, then any."""
    page = stack.enter_context(open_page(embedding, scratch / "page.html"))
    hierarchy = embedding.hierarchy
    assert hierarchy
    random = np.random.default_rng(0)
    inner, every = (
        random.permutation(rows).tolist() for rows in (hierarchy.child_lists.counts.nonzero()[0], len(embedding))
    )
    chosen = list(dict.fromkeys([int(hierarchy.root_rows[0]), *inner[: sample // 2], *every]))[:sample]
    return {"explorer": (partial(ask_page, page, embedding), chosen)}


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
    address: tuple[str, int], judge: Judge, question: str, rows: Sequence[int]
) -> Iterator[tuple[Names, str]]:
    """The answers of a running service, many nodes per request."""
    for batch in judge.batches(rows, NAMES_A_REQUEST, LISTED_A_REQUEST):
        body = json.dumps({"names": [judge.names[row] for row in batch]})
        # A service closes a connection that is idle while the answers are compared.
        with contextlib.closing(http.client.HTTPConnection(*address, timeout=120)) as connection:
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
    """What the page finds for nodes that are selected in it."""
    script = f"""rows => rows.map(row => {{
        const h = window.hypercone;
        h.select(row);
        return [Array.from(h.{question}(row), one => h.model.names[one]), h.state.by];
    }})"""
    yield from page.evaluate(script, list(rows))


def total(rows: list[Row], interface: str, kind: str, questions: Sequence[str] = QUESTIONS) -> int:
    """The sum of a kind of counts of an interface."""
    counted = [row["interfaces"][interface][kind] for row in rows if interface in row["interfaces"]]
    return sum(count for one in counted for question, count in one.items() if question in questions)


def summarize(rows: list[Row]) -> Row:
    """Answers compared, and those that differ, by interface, over all models."""
    present = dict.fromkeys(name for row in rows for name in row["interfaces"])
    return {
        "hierarchies": len({row["source"] for row in rows}),
        "models": len({(row["source"], row["method"]) for row in rows}),
        "interfaces": {name: {kind: total(rows, name, kind) for kind in KINDS} for name in present},
    }


def problems(rows: list[Row]) -> list[str]:
    found = [f"{row['source']}: it answers by {row['default_by']}" for row in rows if row["default_by"] != "graph"]
    for row in rows:
        for name, counted in row["interfaces"].items():
            bad = {kind: total([row], name, kind) for kind in KINDS[1:]}
            if name != GEOMETRY and any(bad.values()):
                found.append(f"{row['source']}, {row['method']}, {name}: {bad} {counted.get('examples', '')}")
    return found


def tables(rows: list[Row]) -> dict[str, str]:
    """One line per model: answers that differ, by interface."""
    head = ["hierarchy", "package", "model", "nodes", "edges", "redundant", "relatives", *INTERFACES, "by geometry"]
    models: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        models.setdefault((row["source"], row["method"]), []).append(row)
    by_graph = [name for name in summarize(rows)["interfaces"] if name != GEOMETRY]
    asked, different = (sum(total(rows, name, kind) for name in by_graph) for kind in KINDS[:2])
    said = (
        f"{different:,} of {asked:,} answers by the graph differ from those of networkx. The last column is the share"
        " of nodes whose parents the cones alone would get wrong."
    )
    return {"": f"{markdown_table(head, map(_cells, models.values()), right=head[3:])}\n{said}\n"}


def _cells(rows: list[Row]) -> list[str]:
    row, present = rows[0], {name for row in rows for name in row["interfaces"]}
    wrong = f"{100 * total(rows, GEOMETRY, 'different', ['parents']) / row['nodes']:.1f} %"
    return [
        row["content"],
        row["package"] or "hypercone",
        row["method"],
        *(f"{row[name]:,}" for name in ("nodes", "edges", "redundant_edges")),
        f"{sum(row['listed'].values()):,}",
        *(str(total(rows, name, "different")) if name in present else "–" for name in INTERFACES),
        wrong if GEOMETRY in present else "–",
    ]
