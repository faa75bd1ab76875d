"""A transformer with the interface of scikit-learn, which itself need not be installed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._system import import_optional
from hypercone.embedding import Embedding
from hypercone.embedding.export import Coordinates, coordinates_of
from hypercone.errors import InputError, plural
from hypercone.hierarchy import Hierarchy
from hypercone.training import fit
from hypercone.training.config import OPTIONS, unknown_setting

__all__ = ["ConeEmbedder", "NotFittedError"]


class NotFittedError(InputError, ValueError, AttributeError):
    """The estimator is used before it was fitted."""


class ConeEmbedder:
    """A scikit-learn transformer that maps nodes to the points of an embedding.

    ``hierarchy`` is a Hierarchy, a dict of parents with their children, or (parent, child) pairs. ``coordinates`` are
    those of ``Embedding.export``: own, klein, lorentz or cap. Every setting of ``hypercone.fit`` is also a parameter,
    with the same default.

    If a hierarchy is given, ``fit`` embeds it and ignores its arguments, and ``transform`` looks up the points of nodes
    by name or label. Otherwise ``fit`` takes the hierarchy as X. The result is in ``embedding_``.

    >>> pets = [("animal", "dog"), ("animal", "cat"), ("dog", "poodle")]
    >>> embedder = ConeEmbedder(pets, method="order", dim=2, epochs=50)
    >>> embedder.fit_transform(["dog", "cat", "dog"]).shape
    (3, 2)
    >>> embedder
    ConeEmbedder(<3 pairs>, method='order', dim=2, epochs=50)
    """

    def __init__(
        self, hierarchy: Hierarchy | Iterable[Any] | None = None, *, coordinates: str = "own", **settings: Any
    ) -> None:
        # scikit-learn requires that the constructor stores its arguments unchanged: clone relies on it.
        self.hierarchy = hierarchy
        self.coordinates = coordinates
        for name in settings:
            _check_known(name)
        for name, default in _defaults().items():
            setattr(self, name, settings.get(name, default))
        self._output = "default"

    def fit(self, X: Any = None, y: Any = None) -> ConeEmbedder:
        """Embed the hierarchy, or X if none was given: a Hierarchy or (parent, child) pairs; y is ignored."""
        given = X if self.hierarchy is None else self.hierarchy
        if given is None:
            raise InputError("there is no hierarchy to fit; give ConeEmbedder one, or give fit (parent, child) pairs")
        if hasattr(given, "is_directed"):
            raise InputError(
                "the data is a graph, which may point either way; give Hierarchy.from_networkx(graph, direction=…)"
            )
        chosen = {name: value for name, usual in _defaults().items() if (value := getattr(self, name)) != usual}
        # A data frame with two columns, as scikit-learn passes it, is pairs whatever its columns are called.
        data = np.asarray(given, dtype=object) if hasattr(given, "__array__") else given
        self.embedding_: Embedding = fit(data, **chosen)
        self._coordinates: Coordinates = coordinates_of(self.embedding_, self.coordinates)
        return self

    def transform(self, X: Any) -> Any:
        """The points of the nodes, one row per node; X is one-dimensional or one column of names or labels."""
        self._check_fitted()
        rows = [self.embedding_.row(name) for name in _as_names(X)]
        points = self._coordinates.values[rows]
        if self._output == "default":
            return points
        pandas = import_optional("pandas", "a data frame needs", "pandas")
        return pandas.DataFrame(points, index=getattr(X, "index", None), columns=self.get_feature_names_out())

    def fit_transform(self, X: Any = None, y: Any = None) -> Any:
        """Fit, then return the points of the nodes in X; if X is the hierarchy, the points of all its nodes."""
        self.fit(X, y)
        return self.transform(self.embedding_.names if self.hierarchy is None else X)

    def set_output(self, *, transform: str | None = None) -> ConeEmbedder:
        """Choose what ``transform`` returns: an array ("default") or a data frame ("pandas")."""
        if transform not in (None, "default", "pandas"):
            raise InputError(f"transform is {transform!r}, but must be default or pandas")
        self._output = transform or self._output
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The name of each column that ``transform`` returns."""
        self._check_fitted()
        return np.array(self._coordinates.columns, dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name."""
        return {name: getattr(self, name) for name in ("hierarchy", "coordinates", *_defaults())}

    def set_params(self, **params: Any) -> ConeEmbedder:
        """Change parameters by name; they take effect at the next ``fit``."""
        for name in params:
            _check_known(name)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        usual = {"coordinates": "own"} | _defaults()
        changed = {name: value for name, value in self.get_params().items() if name in usual and value != usual[name]}
        parts = [_describe(self.hierarchy)] if self.hierarchy is not None else []
        return f"ConeEmbedder({', '.join([*parts, *(f'{name}={value!r}' for name, value in changed.items())])})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "embedding_")

    def __sklearn_clone__(self) -> ConeEmbedder:
        # A hierarchy is immutable, so clones share it; the default would deep-copy it.
        return type(self)(**self.get_params()).set_output(transform=self._output)

    def __sklearn_tags__(self) -> Any:
        # Called only by scikit-learn 1.6 and newer, so the import succeeds.
        tags = import_optional("sklearn.utils", "a pipeline needs", "scikit-learn")
        return tags.Tags(
            estimator_type=None,
            target_tags=tags.TargetTags(required=False),
            transformer_tags=tags.TransformerTags(),
            input_tags=tags.InputTags(one_d_array=True, two_d_array=True, string=True, categorical=True),
        )

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this ConeEmbedder is not fitted; call fit first")


def _defaults() -> dict[str, Any]:
    return {name: option.default for name, option in OPTIONS.items()}


def _check_known(name: str) -> None:
    others = ("hierarchy", "coordinates")
    if name not in others and name not in OPTIONS:
        raise unknown_setting(name, others, "parameter")


def _as_names(given: Any) -> list[str]:
    if isinstance(given, str):
        raise InputError(f"the nodes are the text {given!r}; give a list of names")
    names = np.array(given if hasattr(given, "__array__") else list(given), dtype=object)
    if names.ndim == 2 and names.shape[1] == 1:
        names = names[:, 0]
    if names.ndim != 1:
        raise InputError(f"nodes of the shape {names.shape} are not a list of names; give one dimension or one column")
    return [str(name) for name in names.tolist()]


def _describe(hierarchy: Any) -> str:
    if isinstance(hierarchy, Hierarchy) or not hasattr(hierarchy, "__len__"):
        return repr(hierarchy)
    return f"<{plural(len(hierarchy), 'parent' if isinstance(hierarchy, Mapping) else 'pair')}>"


def _signature() -> inspect.Signature:
    """The constructor's signature with every setting spelled out, for scikit-learn, help() and editors."""
    plain, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [
            inspect.Parameter("self", plain),
            inspect.Parameter("hierarchy", plain, default=None, annotation="Hierarchy | Iterable[Any] | None"),
            inspect.Parameter("coordinates", named, default="own", annotation="str"),
            *(
                inspect.Parameter(name, named, default=option.default, annotation=option.kind.__name__)
                for name, option in OPTIONS.items()
            ),
        ]
    )


ConeEmbedder.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
