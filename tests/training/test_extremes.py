"""Training at the limits of every setting: points are finite and in their domain, or one sentence says what to try."""

import re
import time
import tracemalloc

import numpy as np
import pytest
from tests.support.tiers import needs_speed

from hypercone.cli.main import main
from hypercone.construction import CONSTRUCTIONS, LEARNERS
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError
from hypercone.evaluation import all_pairs
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings, find_method
from hypercone.training import fit
from hypercone.training.config import OPTIONS

# Two dimensions, so that the tests share compiled kernels.
QUICK = {"dim": 2, "epochs": 20, "init_epochs": 5}
DIVERGED = re.compile(r"training diverged (?:at|in) epoch \d+: .*; try a lower rate than ")


def is_sound(embedding):
    """Whether every point is finite and in the domain of its method, and the threshold is finite."""
    inner, outer = find_method(embedding.method).shell(embedding.settings)
    norms = np.linalg.norm(embedding.points, axis=1)
    is_inside = (norms >= inner * (1 - 1e-12)) & (norms <= outer * (1 + 1e-12))
    return bool(np.isfinite(embedding.points).all() and is_inside.all() and np.isfinite(embedding.threshold))


def is_fitted(hierarchy, **settings):
    """Whether the fit succeeded, with a sound embedding; otherwise it must report that it diverged, and what to try."""
    try:
        embedding = fit(hierarchy, **QUICK | settings)
    except ConfigError as refusal:
        if not DIVERGED.match(str(refusal)):
            raise
        return False
    assert is_sound(embedding)
    assert np.isfinite([loss for _, loss in embedding.record["history"]["loss"]]).all()
    return True


def of_parents(parents):
    """Node i + 1 is a child of the i-th parent."""
    edges = np.stack([parents, np.arange(1, len(parents) + 1)], 1).astype(np.int32)
    return Hierarchy([f"n{i}" for i in range(len(parents) + 1)], edges)


@pytest.mark.parametrize("rate", [1e3, 1e-300, 1e300])
def test_an_extreme_rate_gives_sound_points_or_a_sentence(method, optimizer, rate, tree):
    found = is_fitted(tree, method=method.name, optimizer=optimizer, rate=rate, init="random")
    assert found or rate >= 1e3
    assert not found or rate <= 1e3


@pytest.mark.parametrize("name", ["order", "euclidean"])
def test_unbounded_growth_is_reported_as_divergence(name, tree):
    """The points are still finite when their energies are not."""
    assert not is_fitted(tree, method=name, optimizer="sgd", rate=1e3, epochs=200, init="random")


@pytest.mark.parametrize("name", ["order", "euclidean", "poincare"])
def test_a_margin_of_ten_is_accepted_by_methods_without_cones(name, tree):
    assert is_fitted(tree, method=name, margin=10.0, init="random")


@pytest.mark.parametrize("K", [1e-6, 10.0])
@pytest.mark.parametrize("border", [1e-12, 1e-2])
@pytest.mark.parametrize("rate", [0.3, 1e3])
@pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones", "poincare"])
def test_the_limits_of_k_and_border_give_sound_points(name, K, border, rate, tree):
    assert is_fitted(tree, method=name, K=K, border=border, rate=rate, init="random")


@pytest.mark.parametrize("init", OPTIONS["init"].choices)
@pytest.mark.parametrize("K", [1e-6, 0.1, 10.0])
def test_every_allowed_start_gives_sound_points_and_the_others_are_refused(method, init, K, tree):
    is_pretrained = init in ("poincare", "euclidean") and init != method.name
    is_of_cones = init in ("caps", *LEARNERS, *CONSTRUCTIONS) and method.curvature is not None
    if init == "random" or is_pretrained or is_of_cones:
        assert is_fitted(tree, method=method.name, init=init, K=K)
    else:
        why = "has no cones" if init in CONSTRUCTIONS.keys() | LEARNERS.keys() else ""
        with pytest.raises(ConfigError, match=rf"^init is {init}, .*{why}"):
            fit(tree, **QUICK, method=method.name, init=init, K=K)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize(("K", "dim"), [(1e-6, 2), (10.0, 2), (0.1, 2), (0.1, 3), (0.1, 5)])
def test_a_construction_is_exact_for_a_tree_also_at_the_limits_of_k(name, K, dim, tree):
    embedding = fit(tree, method=name, K=K, dim=dim)
    assert is_sound(embedding)
    assert embedding.record["calibration_f1"] == all_pairs(embedding).f1 == 1.0


@pytest.mark.parametrize("name", [*METHODS, *CONSTRUCTIONS])
def test_one_edge_is_enough_and_none_is_refused(name):
    settings = {"method": name, "dim": 2} | ({} if name in CONSTRUCTIONS else {"epochs": 30, "init_epochs": 5})
    assert is_sound(fit(Hierarchy.from_pairs([("a", "b")]), **settings))
    verb = "construct" if name in CONSTRUCTIONS else "learn"
    for names in ([], ["a"], ["a", "b", "c"]):
        with pytest.raises(InputError, match=f"^there are no edges to {verb} from; give at least one parent"):
            fit(Hierarchy(names, np.empty((0, 2), np.int32)), **settings)


@needs_speed
@pytest.mark.parametrize("name", ["hyperbolic-cones", "overlapping-caps"])
def test_two_hundred_thousand_children_of_one_root_take_seconds_and_linear_memory(name):
    many = of_parents(np.zeros(200_000))
    settings = {"method": name, "dim": 5} | ({} if name == "overlapping-caps" else {"epochs": 2, "init": "random"})
    fit(of_parents(np.zeros(10)), **settings)
    tracemalloc.start()
    began = time.process_time()
    try:
        embedding = fit(many, **settings)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert is_sound(embedding)
    assert time.process_time() - began < 60
    assert most / len(many) < 2_000


def test_a_chain_ten_thousand_deep_is_learned_and_constructed():
    deep = of_parents(np.arange(9_999))
    assert is_sound(fit(deep, method="hyperbolic-cones", edges="as-given", dim=5, epochs=2, init="random"))
    assert is_sound(fit(deep, dim=5))


def test_two_threads_stay_in_the_domain_and_reach_the_same_quality():
    """Not the same bytes, because threads see each other's unfinished updates; but F1 within a few points."""
    tree = load_dataset("tree-3-5")
    found = {}
    for threads in (1, 2):
        embedding = fit(tree, dim=2, epochs=60, init_epochs=30, threads=threads, split=tree.split(50))
        assert is_sound(embedding)
        assert embedding.record["reproducible"] == (threads == 1)
        found[threads] = embedding.record["calibration_f1"]
    assert found[1] > 0.5
    assert abs(found[2] - found[1]) < 0.1


def run(words, capsys, folder, monkeypatch):
    """The command line, its exit code, and its last line on standard error."""
    monkeypatch.chdir(folder)
    method = () if "--method" in words else ("--method", "hyperbolic-cones")
    typed = ("fit", "tree-2-3", "-o", "new", "--dim", "2", *method, *words)
    return "hypercone " + " ".join(typed), main([*typed]), capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--method", "order", "--rate", "1000"), "training diverged at epoch"),
        (("--method", "euclidean", "--rate", "1000"), "training diverged at epoch"),
        (("--rate", "1e300", "--init", "random"), "training diverged at epoch 1"),
        (("--rate", "1e300", "--optimizer", "sgd-exp", "--init", "random"), "training diverged at epoch 1"),
        (("--margin", "10"), "margin is 10.0, but a cone's must be at most π/2"),
        (("--K", "1e-7"), "K is 1e-07, but must be at least 1e-06"),
        (("--K", "11"), "K is 11.0, but must be at most 10"),
        (("--border", "1e-13"), "border is 1e-13, but must be at least 1e-12"),
        (("--border", "0.1"), "border is 0.1, but must be at most 0.01"),
        (("--method", "order", "--init", "caps"), "init is caps, but order in 2 dimensions has no caps"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_program_reports_it_in_one_sentence_and_writes_nothing(
    words, sentence, fault_row, capsys, tmp_path, monkeypatch
):
    command, code, said = run(words, capsys, tmp_path, monkeypatch)
    assert sentence in said
    assert code == 2
    # The epoch may differ between processors, whose rounding in training differs.
    fault_row("bad input", command, re.sub(r"epoch \d+:", "epoch …:", said), code)
    assert not list(tmp_path.iterdir())


def test_a_fit_that_raises_the_loss_gets_a_note(fault_row, capsys, tmp_path, monkeypatch):
    words = ("--init", "random", "--epochs", "60", "--rate", "1000")
    command, code, note = run(words, capsys, tmp_path, monkeypatch)
    assert note.startswith("the loss was ")
    fault_row("bad input", command, re.sub(r"(was|is) [\d.]+ ", r"\1 … ", note), code)


@pytest.mark.parametrize(("value", "called"), [(np.nan, "NaN"), (np.inf, "infinity"), (1e200, "1e200")])
def test_points_that_are_not_finite_or_too_far_out_are_refused_in_one_sentence(value, called, fault_row, tree):
    points = np.full((len(tree), 2), 0.5)
    points[3, 1] = value
    with pytest.raises(ConfigError) as refusal:
        fit(tree, dim=2, start=points)
    fault_row("bad input", f"fit(hierarchy, start=points with {called})", str(refusal.value), 2)
    if not np.isfinite(value):
        with pytest.raises(InputError) as refusal:
            Embedding(tree.names, points, "order", Settings(), threshold=0.0)
        fault_row("bad input", f"Embedding(names, points with {called}, …)", str(refusal.value), 2)
