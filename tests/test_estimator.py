"""ConeEmbedder behaves as scikit-learn expects, in scikit-learn itself."""

from __future__ import annotations

import inspect
import subprocess
import sys

import networkx
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import hypercone
from hypercone import ConeEmbedder, Hierarchy
from hypercone.errors import ConfigError, InputError, UnknownNameError
from hypercone.estimator import NotFittedError
from hypercone.training.config import OPTIONS

QUICK = {"method": "hyperbolic-cones", "dim": 2, "epochs": 40, "init_epochs": 40}


@pytest.fixture(scope="module")
def tree() -> Hierarchy:
    return hypercone.load_dataset("tree-3-3")


@pytest.fixture(scope="module")
def nodes(tree):
    """The nodes below the children of the root, and which of the children each is below."""
    branches = {int(child): branch for branch, child in enumerate(tree.child_lists[0])}
    names, classes = [], []
    for row, name in enumerate(tree.names):
        above = [branches[int(a)] for a in tree.ancestor_lists()[row] if int(a) in branches]
        if above:
            names.append(name)
            classes.append(above[0])
    return np.array(names), np.array(classes)


@pytest.fixture(scope="module")
def fitted(tree) -> ConeEmbedder:
    return ConeEmbedder(tree, **QUICK).fit()


def _pipeline(tree) -> Pipeline:
    return Pipeline([("cones", ConeEmbedder(tree, **QUICK)), ("classifier", LogisticRegression(C=1e3, max_iter=1000))])


def test_it_gives_the_points_of_fit(tree, fitted):
    expected = hypercone.fit(tree, **QUICK)
    assert fitted.embedding_.points.tobytes() == expected.points.tobytes()
    assert fitted.embedding_.threshold == expected.threshold
    assert fitted.transform(tree.names).tobytes() == expected.points.tobytes()
    # The result is a copy.
    fitted.transform(tree.names)[:] = 0
    assert fitted.embedding_.points.tobytes() == expected.points.tobytes()


def test_every_setting_is_a_parameter_with_its_default():
    parameters = inspect.signature(ConeEmbedder).parameters
    assert list(parameters) == ["hierarchy", "coordinates", *OPTIONS]
    given = ConeEmbedder().get_params()
    assert given == {name: parameter.default for name, parameter in parameters.items()}
    assert all(given[name] == option.default for name, option in OPTIONS.items())


@pytest.mark.parametrize(
    "shaped", [list, tuple, np.array, lambda names: np.array(names)[:, None], pandas.Series, pandas.DataFrame]
)
def test_nodes_are_accepted_in_one_dimension_or_one_column(fitted, shaped):
    names = [fitted.embedding_.names[k] for k in (4, 0, 4)]
    points = fitted.transform(shaped(names))
    assert points.tolist() == fitted.embedding_.points[[4, 0, 4]].tolist()


def test_without_a_hierarchy_fit_takes_it_as_x_and_numbers_become_names():
    edges = [(1, 2), (1, 3), (3, 4)]
    hierarchy = Hierarchy.from_pairs([(str(parent), str(child)) for parent, child in edges])
    expected = hypercone.fit(hierarchy, **QUICK).points
    for given in (edges, np.array(edges), pandas.DataFrame(edges), iter(edges), hierarchy):
        assert ConeEmbedder(**QUICK).fit_transform(given).tobytes() == expected.tobytes()
    embedder = ConeEmbedder(**QUICK).fit(edges)
    assert embedder.embedding_.names == ("1", "2", "3", "4")
    assert embedder.transform(np.array([4, 1])).tolist() == expected[[3, 0]].tolist()


def test_a_clone_has_the_same_parameters_the_same_hierarchy_and_no_result(tree, fitted):
    copy = clone(fitted.set_output(transform="default"))
    assert copy is not fitted
    assert copy.get_params() == fitted.get_params()
    assert copy.hierarchy is tree
    assert not hasattr(copy, "embedding_")


def test_parameters_are_set_and_shown_by_name_and_others_are_refused(tree):
    embedder = ConeEmbedder()
    assert repr(embedder) == "ConeEmbedder()"
    assert embedder.set_params(hierarchy=tree, dim=7, coordinates="klein") is embedder
    assert (embedder.dim, embedder.get_params()["coordinates"]) == (7, "klein")
    expected = "ConeEmbedder(<Hierarchy of 40 nodes and 39 edges>, coordinates='klein', dim=7)"
    assert repr(embedder) == repr(ConeEmbedder(tree, dim=7, coordinates="klein")) == expected


def test_an_estimator_that_is_not_fitted_is_refused_in_one_sentence(tree, fitted):
    embedder = ConeEmbedder(tree)
    for call in (lambda: embedder.transform(["a"]), embedder.get_feature_names_out):
        with pytest.raises(NotFittedError, match="this ConeEmbedder is not fitted; call fit first"):
            call()
    assert all(issubclass(NotFittedError, kind) for kind in SklearnNotFittedError.__bases__)
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(embedder)
    check_is_fitted(fitted)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda e: ConeEmbedder().set_params(dmi=3), "no parameter 'dmi'; did you mean dim"),
        (lambda e: ConeEmbedder(epoch=3), "no parameter 'epoch'"),
        # Settings are checked by fit and not before.
        (ConeEmbedder([("a", "b")], dim=0).fit, "dim is 0"),
        (lambda e: ConeEmbedder().fit(), "no hierarchy to fit"),
        (lambda e: ConeEmbedder().fit(["ab", "cd"]), "are not pairs"),
        (lambda e: ConeEmbedder().fit([("a", "b", "c")]), r"shape \(1, 3\) are not pairs"),
        (lambda e: ConeEmbedder(networkx.DiGraph([("a", "b")])).fit(), "give Hierarchy.from_networkx"),
        (lambda e: e.transform("node"), "give a list of names"),
        (lambda e: e.transform([["a", "b"]]), r"shape \(1, 2\) are not a list of names"),
        (lambda e: e.transform(["nobody"]), "there is no node 'nobody'"),
        (lambda e: e.set_output(transform="polars"), "must be default or pandas"),
    ],
)
def test_invalid_input_is_refused_in_one_sentence(fitted, call, reason):
    with pytest.raises((InputError, ConfigError, UnknownNameError), match=reason):
        call(fitted)


def test_a_pipeline_classifies_nodes_by_their_branch_also_in_cross_validation(tree, nodes):
    names, classes = nodes
    pipeline = _pipeline(tree).fit(names, classes)
    assert pipeline.score(names, classes) > 0.9
    assert pipeline[:-1].get_feature_names_out().tolist() == ["x0", "x1"]
    assert "ConeEmbedder" in pipeline._repr_html_()
    assert cross_val_score(_pipeline(tree), *nodes, cv=3).mean() > 0.8


def test_a_grid_search_over_the_dimension_fits_each_and_chooses_the_best(tree, nodes):
    search = GridSearchCV(_pipeline(tree), {"cones__dim": [2, 5]}, cv=2, n_jobs=1).fit(*nodes)
    scores = dict(zip([2, 5], search.cv_results_["mean_test_score"], strict=True))
    best = search.best_estimator_["cones"].embedding_.dim
    assert scores[best] == max(scores.values()) > 0.5


def test_a_pipeline_with_memory_fits_the_same_cones_once(tree, nodes, tmp_path):
    names, classes = nodes
    first, second = (_pipeline(tree).set_params(memory=str(tmp_path)).fit(names, classes) for _ in range(2))
    assert any(tmp_path.rglob("*.pkl"))
    assert (first.predict(names) == second.predict(names)).all()


def test_names_can_be_combined_with_other_columns(tree, nodes):
    names, _ = nodes
    frame = pandas.DataFrame({"node": names, "weight": np.arange(len(names), dtype=float)}, index=names)
    columns = ColumnTransformer([("cones", ConeEmbedder(tree, **QUICK), ["node"]), ("rest", "passthrough", ["weight"])])
    found = columns.set_output(transform="pandas").fit_transform(frame)
    assert list(found) == ["cones__x0", "cones__x1", "rest__weight"]
    assert found.index.tolist() == names.tolist()
    assert columns.set_output(transform="default").transform(frame).shape == (len(names), 3)


def test_other_coordinates_have_other_columns(tree):
    embedder = ConeEmbedder(tree, coordinates="lorentz", **QUICK).fit()
    assert embedder.get_feature_names_out().tolist() == ["x_t", "x0", "x1"]
    points = embedder.transform(tree.names)
    np.testing.assert_allclose(points[:, 0] ** 2 - (points[:, 1:] ** 2).sum(axis=1), 1, rtol=1e-9)


def test_it_does_not_import_scikit_learn():
    code = (
        "import sys, hypercone; e = hypercone.ConeEmbedder([('a', 'b')], method='order', dim=2, epochs=1);"
        "e.fit_transform(['a']); assert not {'sklearn', 'pandas', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
