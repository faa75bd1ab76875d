"""The claims in the paper's text: the trials, table cells or times that test each, and the verdict."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

from hypercone.reproduce.comparisons import Cell, Comparison, compare_by_seed, verdict_of
from hypercone.reproduce.step_times import time_epochs
from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1, TITLES, Summary, mean_of, recipe_config
from hypercone.reproduce.trials import Results, Row, Trial
from hypercone.training import FitConfig
from hypercone.training.loop import DIGITS

# Every claim is tested with this many seeds, and with more, up to the second number, where that does not decide it.
FIRST_SEEDS, MOST_SEEDS = 3, 10

TABLE_CLAIMS = {
    "best-above-zero": "Hyperbolic cones are better than all baselines in all settings but 0 %.",
    "order-at-zero": "Order embeddings are best at 0 %.",
    "growth": "Hyperbolic cones have the largest growth when edges of the closure are added to the training set.",
    "eight-points": "With some edges of the closure, hyperbolic cones are sometimes better by more than 8 % F1.",
}


def table_comparisons(claim: str, rows: Sequence[Row]) -> list[Comparison]:
    """The comparisons behind a claim about the table, within each recipe."""
    recipes = ([_Column(rows, recipe, dim) for dim in DIMS] for recipe in RECIPES)
    return [found for columns in recipes for found in _CLAIM_CHECKS[claim](columns)]


class _Column:
    """The results of one recipe and dimension."""

    def __init__(self, rows: Sequence[Row], recipe: str, dim: int) -> None:
        self.recipe, self.dim = recipe, dim
        self.rows = [row for row in rows if row["recipe"] == recipe and row["dim"] == dim]

    def f1(self, method: str, percent: float) -> dict[int, float]:
        """The test F1 by seed."""
        found = [row for row in self.rows if row["method"] == method and row["percent"] == percent]
        return {row["seed"]: row["test_f1"] for row in found}

    def growth(self, method: str) -> dict[int, float]:
        """The gain by seed from the smallest to the largest training set."""
        least, most = self.f1(method, PERCENTS[0]), self.f1(method, PERCENTS[-1])
        return {seed: most[seed] - least[seed] for seed in least.keys() & most.keys()}

    def place(self, method: str, percent: float | None = None) -> str:
        """The description of one side of a comparison."""
        at = "" if percent is None else f", {percent:g} %"
        return f"{TITLES[method]} ({self.recipe}, d = {self.dim}{at})"

    def compare_with_best(
        self, method: str, percent: float, relation: str = "better than", by: float = 0
    ) -> Comparison:
        """A method against the best of the others in one cell."""
        best, theirs = _largest({other: self.f1(other, percent) for other in TABLE1 if other != method})
        cells = tuple(Cell(self.recipe, name, self.dim, percent) for name in (method, best))
        place = self.place(method, percent)
        return compare_by_seed(place, self.f1(method, percent), relation, TITLES[best], theirs, by, cells)


def _best_above_zero(columns: Sequence[_Column]) -> Iterator[Comparison]:
    for column in columns:
        for percent in PERCENTS[1:]:
            yield column.compare_with_best("hyperbolic-cones", percent)


def _order_at_zero(columns: Sequence[_Column]) -> Iterator[Comparison]:
    for column in columns:
        yield column.compare_with_best("order", 0)


def _growth(columns: Sequence[_Column]) -> Iterator[Comparison]:
    cones = "hyperbolic-cones"
    for column in columns:
        best, theirs = _largest({method: column.growth(method) for method in TABLE1 if method != cones})
        ends = (PERCENTS[0], PERCENTS[-1])
        cells = tuple(Cell(column.recipe, name, column.dim, end) for name in (cones, best) for end in ends)
        place = f"growth of {column.place(cones)}"
        yield compare_by_seed(place, column.growth(cones), "better than", TITLES[best], theirs, 0, cells)


def _eight_points(columns: Sequence[_Column]) -> Iterator[Comparison]:
    """The cell with the largest gain over the best baseline."""
    gains = [
        column.compare_with_best("hyperbolic-cones", percent, "more than 8 points better than", 8)
        for column in columns
        for percent in PERCENTS[1:]
    ]
    yield max(gains, key=lambda gain: (gain.seeds > 0, gain.difference))


def _largest(figures: dict[str, dict[int, float]]) -> tuple[str, dict[int, float]]:
    """The entry with the highest mean; of the first seeds, which all have."""

    def mean(found: dict[int, float]) -> float:
        first = [f1 for seed, f1 in found.items() if seed < FIRST_SEEDS]
        return sum(first) / len(first) if first else float("-inf")

    return max(figures.items(), key=lambda item: mean(item[1]))


_CLAIM_CHECKS: dict[str, Callable[[Sequence[_Column]], Iterator[Comparison]]] = {
    "best-above-zero": _best_above_zero,
    "order-at-zero": _order_at_zero,
    "growth": _growth,
    "eight-points": _eight_points,
}


_EXPERIMENTS: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files("hypercone.reproduce") / "claims.toml").read_text(encoding="utf-8")
)
# Experiments that compare test F1, and those that compare the time of an epoch.
EXPERIMENTS = {name: known for name, known in _EXPERIMENTS.items() if known.get("compares") != "time"}
TIMED = {name: known for name, known in _EXPERIMENTS.items() if name not in EXPERIMENTS}
CLAIMS = (*_EXPERIMENTS, *TABLE_CLAIMS)


@dataclass(frozen=True)
class Verdict:
    """A claim, its verdict, and the comparisons and figures behind it."""

    claim: str
    says: str
    verdict: str
    comparisons: list[Comparison]
    figures: dict[str, Summary]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def claim_trials(names: Iterable[str], seeds: int) -> list[Trial]:
    """The trials of these claims; claims about the table or about time need none of their own."""
    cells = (cell for name in names if name in EXPERIMENTS for cell in _cells(name))
    return [trial for cell in cells for trial in trials_of(cell, range(seeds))]


def undecided_trials(verdicts: Iterable[Verdict]) -> list[Trial]:
    """The trials with more seeds for the comparisons that are less than two standard errors from another outcome.

    Comparisons that do not have the first seeds yet, because the table has not, are left as they are.
    """
    open_cells = dict.fromkeys(
        cell
        for verdict in verdicts
        for comparison in verdict.comparisons
        if comparison.seeds >= FIRST_SEEDS and not comparison.is_decided
        for cell in comparison.cells
    )
    return [trial for cell in open_cells for trial in trials_of(cell, range(MOST_SEEDS))]


def trials_of(cell: Cell, seeds: Iterable[int]) -> list[Trial]:
    """The trials of a cell; its group is a claim or a recipe of the table."""
    if cell.group not in EXPERIMENTS:
        configs = (recipe_config(cell.name, cell.group, cell.dim, cell.percent, seed) for seed in seeds)
        return [Trial(cell.group, cell.percent, config) for config in configs]
    return _variant_trials(EXPERIMENTS[cell.group], cell, seeds)


def _variant_trials(experiment: dict[str, Any], cell: Cell, seeds: Iterable[int]) -> list[Trial]:
    settings = dict(experiment["variants"][cell.name])
    method, recipe = settings.pop("method"), settings.pop("recipe")
    configs = (recipe_config(method, recipe, cell.dim, cell.percent, seed) for seed in seeds)
    named = f"{cell.group}: {cell.name}"
    return [Trial(named, cell.percent, FitConfig(**config.as_dict() | settings)) for config in configs]


def measure_times(names: Iterable[str], seeds: int, results: Results) -> None:
    """Measure what claims about time need and the results do not have yet."""
    for claim in names:
        for trials in _timed_trials(claim, seeds) if claim in TIMED else ():
            if _times_of(trials, results) is None:
                results.add_times(time_epochs(trials))


def judge(names: Iterable[str], seeds: int, results: Results, table: Results) -> list[Verdict]:
    """The verdict on each claim, from its own trials or from the table, with at most so many seeds."""
    return [_judge(name, seeds, results, table) for name in names]


def _judge(claim: str, seeds: int, results: Results, table: Results) -> Verdict:
    if claim in TIMED:
        return _judge_times(claim, seeds, results)
    if claim in EXPERIMENTS:
        return _judge_experiment(claim, seeds, results, table)
    found = {(row["source"], *_key(row)): row for row in (*results.cells, *table.cells) if _counts(row, seeds)}
    comparisons = table_comparisons(claim, list(found.values()))
    return Verdict(claim, TABLE_CLAIMS[claim], verdict_of(comparisons), comparisons, {})


def _counts(row: Row, seeds: int) -> bool:
    return bool(row["seed"] < seeds and row.get("digits", 1) == DIGITS)


def _key(row: Row) -> tuple[Any, ...]:
    return (row["method"], row["recipe"], row["dim"], row["percent"], row["seed"])


def report(verdicts: Iterable[Verdict]) -> str:
    """The verdicts in Markdown."""
    return "\n".join(line for verdict in verdicts for line in _lines(verdict))


def _lines(verdict: Verdict) -> list[str]:
    figures = [f"| {name} | {summary} |" for name, summary in verdict.figures.items()]
    unit = "epoch, milliseconds" if verdict.claim in TIMED else "test F1"
    table = ["", f"| variant | {unit} |", "|---|---|", *figures] if figures else []
    found = [f"- {comparison}" for comparison in verdict.comparisons]
    return [f"### {verdict.claim}: {verdict.verdict}", "", verdict.says, *table, "", *found, ""]


def _cells(claim: str) -> Iterable[Cell]:
    for cell in EXPERIMENTS[claim]["cells"]:
        for variant in EXPERIMENTS[claim]["variants"]:
            yield Cell(claim, variant, cell["dim"], cell["percent"])


def _judge_experiment(claim: str, seeds: int, *results: Results) -> Verdict:
    experiment, comparisons = EXPERIMENTS[claim], []
    figures: dict[str, Summary] = {}
    for at in experiment["cells"]:
        place = f"d = {at['dim']}, {at['percent']} %"
        cells = {variant: Cell(claim, variant, **at) for variant in experiment["variants"]}
        f1 = {variant: _test_f1(trials_of(cell, range(seeds)), results) for variant, cell in cells.items()}
        figures |= {f"{variant}, {place}": mean_of(list(found.values())) for variant, found in f1.items() if found}
        for one, relation, other in experiment.get("expect", []):
            both = (cells[one], cells[other])
            comparisons.append(compare_by_seed(f"{one} ({place})", f1[one], relation, other, f1[other], 0, both))
    return Verdict(claim, experiment["says"], verdict_of(comparisons), comparisons, figures)


def _test_f1(trials: Sequence[Trial], results: Sequence[Results]) -> dict[int, float]:
    """The test F1 by seed of the trials that have been run."""
    rows = {trial: next((row for known in results if (row := known.find(trial))), None) for trial in trials}
    return {trial.config.seed: row["test_f1"] for trial, row in rows.items() if row is not None}


def _judge_times(claim: str, seeds: int, results: Results) -> Verdict:
    experiment, comparisons = TIMED[claim], []
    figures: dict[str, Summary] = {}
    found = [row for trials in _timed_trials(claim, seeds) if (row := _times_of(trials, results))]
    for one, relation, other in experiment["expect"]:
        rows = [row for row in found if {one, other} <= row["seconds"].keys()]
        for name in (one, other):
            if rows:
                figures[name] = mean_of([1000 * row["seconds"][name] for row in rows])
        # In percent of the time that the other one takes.
        saved = {row["seed"]: 100 - 100 * row["seconds"][one] / row["seconds"][other] for row in rows}
        comparisons.append(compare_by_seed(one, saved, relation, other, dict.fromkeys(saved, 0.0)))
    return Verdict(claim, experiment["says"], verdict_of(comparisons), comparisons, figures)


def _timed_trials(claim: str, seeds: int) -> Iterator[dict[str, Trial]]:
    """For each comparison of times and each seed, the two trials by name."""
    experiment = TIMED[claim]
    for at in experiment["cells"]:
        for one, _, other in experiment["expect"]:
            for seed in range(seeds):
                cells = (Cell(claim, name, **at) for name in (one, other))
                yield {cell.name: _variant_trials(experiment, cell, [seed])[0] for cell in cells}


def _times_of(trials: dict[str, Trial], results: Results) -> Row | None:
    """The measured times of these trials."""
    first = next(iter(trials.values()))
    config = first.config
    name = (config.method, config.dim, first.percent, config.seed, first.source, DIGITS)
    for row in results.times:
        at = tuple(row[key] for key in ("method", "dim", "percent", "seed", "source", "digits"))
        if at == name and trials.keys() <= row["seconds"].keys():
            return row
    return None
