"""The claims in the paper's text: the trials each takes, and whether what the paper says came out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

from hypercone.reproduce.compare import Comparison, compare, verdict_of
from hypercone.reproduce.recipe import recipe_config
from hypercone.reproduce.results import Results
from hypercone.reproduce.summary import Summary, mean_of
from hypercone.reproduce.table_claims import TABLE_CLAIMS, table_comparisons
from hypercone.reproduce.trial import Trial
from hypercone.training import FitConfig

EXPERIMENTS: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files("hypercone.reproduce") / "claims.toml").read_text(encoding="utf-8")
)
CLAIMS = (*EXPERIMENTS, *TABLE_CLAIMS)


@dataclass(frozen=True)
class Verdict:
    """A claim, what came out of it, and the figures."""

    claim: str
    says: str
    verdict: str
    comparisons: list[Comparison]
    figures: dict[str, Summary]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def claim_trials(names: Iterable[str], seeds: int) -> list[Trial]:
    """The trials of these claims; those about the table itself take none of their own."""
    cells = (cell for name in names if name in EXPERIMENTS for cell in _cells(name))
    return [trial for claim, variant, dim, percent in cells for trial in _trials(claim, variant, dim, percent, seeds)]


def judge(names: Iterable[str], seeds: int, results: Results, table: Results) -> list[Verdict]:
    """The verdict on each claim, from its own trials or from the table."""
    return [
        _judge_experiment(name, seeds, results, table) if name in EXPERIMENTS else _judge_table(name, seeds, table)
        for name in names
    ]


def report(verdicts: Iterable[Verdict]) -> str:
    """The verdicts in Markdown."""
    return "\n".join(line for verdict in verdicts for line in _lines(verdict))


def _lines(verdict: Verdict) -> list[str]:
    figures = [f"| {name} | {summary} |" for name, summary in verdict.figures.items()]
    table = ["", "| variant | test F1 |", "|---|---|", *figures] if figures else []
    found = [f"- {comparison}" for comparison in verdict.comparisons]
    return [f"### {verdict.claim}: {verdict.verdict}", "", verdict.says, *table, "", *found, ""]


def _cells(claim: str) -> Iterable[tuple[str, str, int, float]]:
    for cell in EXPERIMENTS[claim]["cells"]:
        for variant in EXPERIMENTS[claim]["variants"]:
            yield claim, variant, cell["dim"], cell["percent"]


def _trials(claim: str, variant: str, dim: int, percent: float, seeds: int) -> list[Trial]:
    settings = dict(EXPERIMENTS[claim]["variants"][variant])
    method, recipe = settings.pop("method"), settings.pop("recipe")
    configs = (recipe_config(method, recipe, dim, percent, seed) for seed in range(seeds))
    return [Trial(f"{claim}: {variant}", percent, _changed(config, settings)) for config in configs]


def _changed(config: FitConfig, settings: dict[str, Any]) -> FitConfig:
    return FitConfig.from_dict(config.as_dict() | settings)


def _judge_experiment(claim: str, seeds: int, *results: Results) -> Verdict:
    experiment, comparisons = EXPERIMENTS[claim], []
    figures: dict[str, Summary] = {}
    for cell in experiment["cells"]:
        place = f"d = {cell['dim']}, {cell['percent']} %"
        trials = {variant: _trials(claim, variant, **cell, seeds=seeds) for variant in experiment["variants"]}
        f1 = {variant: _test_f1(trials[variant], results) for variant in trials}
        figures |= {f"{variant}, {place}": mean_of(values) for variant, values in f1.items() if values}
        for one, relation, other in experiment.get("expect", []):
            comparisons.append(compare(f"{one} ({place})", f1[one], relation, other, f1[other]))
    return Verdict(claim, experiment["says"], verdict_of(comparisons), comparisons, figures)


def _judge_table(claim: str, seeds: int, table: Results) -> Verdict:
    comparisons = table_comparisons(claim, [row for row in table.cells if row["seed"] < seeds])
    return Verdict(claim, TABLE_CLAIMS[claim], verdict_of(comparisons), comparisons, {})


def _test_f1(trials: Sequence[Trial], results: Sequence[Results]) -> list[float]:
    rows = (next((row for known in results if (row := known.find(trial))), None) for trial in trials)
    return [row["test_f1"] for row in rows if row is not None]
