"""All settings of a fit with default, range and reason, and the configurations made of them.

The settings that a user gives, in Python, in a TOML file or on the command line, are a ``FitConfig``. Once the data is
known, it is resolved to a ``TrainingConfig`` or a ``ConstructionConfig``, in which every setting has a value.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from hypercone.construction import CONSTRUCTIONS, LEARNERS
from hypercone.errors import OLD_METHODS, ConfigError, InputError, UnknownNameError, option, unknown_name, warn_renamed
from hypercone.methods import METHODS, Settings, find_method
from hypercone.training.option import Option, format_value, setting

# The default for a complete taxonomy is a construction; if edges are held out, it is learned.
AUTO, DEFAULT_CONSTRUCTION, DEFAULT_LEARNER = "auto", "overlapping-caps", "hyperbolic-cones"
# The settings of constructions; all others are settings of learning only.
COMMON = ("method", "dim", "seed", "K", "seconds", "restarts")
USUAL_DIM, LARGER_DIM = 5, 10
# From this share of nodes with several parents on, overlapping caps use the larger dimension.
MANY_MULTI_PARENT = 0.1
# Constructed points come closer to the border of the ball than learned ones.
CONSTRUCTED_BORDER = 1e-9
# Small hierarchies get more epochs, which are cheap, until each has seen this many edge visits.
ENOUGH_VISITS = 3_000_000
MOST_EPOCHS = 2_000
# Defaults of learning that a method may override.
USUAL = {
    "dim": USUAL_DIM,
    "parent_candidates": "all",
    "init_epochs": 100,
    "burn_in": 0,
    "start_spread": 1e-3,
    "margin": 0.01,
}


class _NamedSettings:
    """Refuses a setting that does not exist in a sentence, where a dataclass would raise a TypeError."""

    def __new__(cls, **given: Any) -> Self:
        known = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        for name in given:
            if name not in known:
                raise unknown_setting(name)
        return super().__new__(cls)


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(_NamedSettings):
    """All settings of a learned fit, as in the record of a model: ``TrainingConfig(**record["config"])``.

    Pass it as ``recipe`` to fit again with the same settings.
    """

    # Settings whose default depends on the number of edges.
    FROM_THE_DATA: ClassVar = ("epochs", "init_epochs")

    method: str = setting(
        AUTO,
        "the method; auto is overlapping-caps, which is constructed, or hyperbolic-cones if a split or starting points"
        " are given",
        choices=(AUTO, *METHODS, *CONSTRUCTIONS),
    )
    dim: int = setting(
        None,
        "dimensions; by default 5, which is enough for most taxonomies, and 10 for overlapping caps if at least a tenth"
        " of the nodes have several parents; auto, for overlapping caps, takes more while they pay",
        at_least=1,
        at_most=1024,
        words=(AUTO,),
    )
    seed: int = setting(0, "the same seed gives the same bytes", at_least=0, at_most=2**63 - 1)
    edges: str = setting(
        "closure",
        "positives: the edges as given, or all they imply (a taxonomy's direct edges imply their closure)",
        choices=("as-given", "closure"),
    )
    epochs: int = setting(
        None,
        "passes over the positives after any pre-training; by default, small hierarchies get more",
        at_least=0,
        at_most=10**9,
    )
    rate: float = setting(None, "learning rate", above=0)
    schedule: str = setting(
        None, "the rate is constant or falls linearly to zero, which converges better", choices=("constant", "linear")
    )
    optimizer: str = setting(
        None,
        "sgd: Riemannian SGD by retraction, as in the paper; sgd-exp: the same along geodesics; adagrad: one adaptive"
        " rate per node, with steps never longer than the rate",
        choices=("sgd", "sgd-exp", "adagrad"),
    )
    batch_size: int = setting(
        1,
        "positives per step: the gradients of a batch are taken at the points before it and added up; the paper's"
        " batches have 10",
        at_least=1,
        at_most=100_000,
    )
    # Below the minimum, cones are narrower than the distance kept from the borders.
    K: float = setting(0.1, "cone constant; the paper's value, larger means wider cones", at_least=1e-6, at_most=10)
    margin: float = setting(None, "γ, how far outside a negative pair must be (radians for cones)", above=0)
    border: float = setting(1e-5, "distance kept from the borders of the domain", at_least=1e-12, at_most=1e-2)
    negatives: int = setting(None, "negative pairs per positive", at_least=1, at_most=10_000)
    corrupt: str = setting(
        None, "which end of a positive is replaced to make a negative pair", choices=("child", "parent", "both")
    )
    relatives: int = setting(
        None,
        "how many of the negative pairs put the child under a relative: another child of the same parent that has"
        " children itself, which uniform sampling rarely draws (default: a fifth for cones if both ends are corrupted"
        " and there are more than two dimensions)",
        at_least=0,
    )
    positive_weight: float = setting(
        1.0,
        "the weight of a positive pair relative to a negative one (margin loss of cones and order embeddings)",
        above=0,
        at_most=1_000,
    )
    sampling: str = setting(
        "uniform",
        "how the replacing node is drawn: uniformly, or in proportion to (children + 1)^power",
        choices=("uniform", "degree"),
    )
    sampling_power: float = setting(0.75, "the power in degree sampling and during burn-in", at_least=0, at_most=2)
    parent_candidates: str = setting(
        None,
        "which nodes replace a parent: all, or only nodes with children, which are harder negatives",
        choices=("all", "non-leaves"),
    )
    known: str = setting(
        "training",
        "negative pairs are drawn again if they are true in the training edges, or in the transitive closure of those",
        choices=("training", "closure"),
    )
    push_inside: str = setting(
        None,
        "which negative pairs are pushed out even when deep inside a cone, where the paper's loss is flat: those with a"
        " replaced child, parent, both or none",
        choices=("none", "child", "parent", "both"),
    )
    init: str = setting(
        None,
        "start from random points, from a pre-trained embedding, or, for cones, from caps learned from a random start"
        " (exact-caps: with every wrong containment found), from caps learned in a forest of the training edges"
        " (given-edges), or from a construction of these",
        choices=("random", "poincare", "euclidean", "caps", *LEARNERS, *CONSTRUCTIONS),
    )
    init_epochs: int = setting(None, "epochs of pre-training; the default as for epochs", at_least=0, at_most=10**9)
    init_corrupt: str = setting(
        "child",
        "as corrupt, for pre-training: cones start better from points trained with replaced children",
        choices=("child", "parent", "both"),
    )
    rescale: float = setting(
        0.7,
        "pre-trained points are scaled towards the origin by this factor, because they crowd the border",
        above=0,
        at_most=1,
    )
    burn_in: int = setting(
        None, "additional epochs at first, at a tenth of the rate and with degree sampling", at_least=0, at_most=10**9
    )
    start_spread: float = setting(None, "half the side of the cube that random points start in", above=0, at_most=1)
    validate_every: int = setting(20, "epochs between validations, if there are validation pairs", at_least=1)
    patience: int = setting(0, "stop after this many validations without a better F1; 0 means never", at_least=0)
    threads: int = setting(
        1, "more than one means lock-free parallel SGD: faster, but not reproducible", at_least=1, at_most=256
    )
    seconds: float = setting(
        0.0,
        "a limit for overlapping caps, after which the best so far are taken, so not reproducible; 0 means none",
        at_least=0,
    )
    restarts: int = setting(
        0, "more starts for overlapping caps, of which the best by exact count is taken", at_least=0, at_most=1_000
    )

    def __post_init__(self) -> None:
        method = find_method(self.method)
        if str(self.dim) == AUTO:
            raise ConfigError(f"{option('dim')} is {AUTO}, but {self.method} is learned; give a number of dimensions")
        if self.seconds:
            raise ConfigError(
                f"{option('seconds')} is {self.seconds}, but {self.method} is learned; give {option('epochs')} instead"
            )
        if self.restarts:
            raise ConfigError(f"{option('restarts')} is {self.restarts}, but {self.method} is learned; leave it out")
        if self.margin > method.largest_margin:
            raise ConfigError(
                f"{option('margin')} is {self.margin}, but a cone's must be at most π/2, an angle in radians"
            )
        if self.relatives and method.loss != "margin":
            raise ConfigError(
                f"{option('relatives')} is {self.relatives}, but {self.method} ranks distances and has none; leave it"
                " out"
            )
        if self.positive_weight != 1.0 and method.loss != "margin":
            raise ConfigError(
                f"{option('positive_weight')} is {self.positive_weight}, but {self.method} ranks distances; leave it"
                " out"
            )
        if self.relatives >= self.negatives:
            raise ConfigError(
                f"{option('relatives')} is {self.relatives}, but must be below {option('negatives')}, {self.negatives}"
            )
        if self.init == self.method:
            raise ConfigError(
                f"{option('init')} is {self.init}, the method itself; use {option('init', 'random')} and more "
                f"{option('epochs')}"
            )

    @property
    def settings(self) -> Settings:
        """The part that the method's formulas need."""
        return Settings(K=self.K, margin=self.margin, border=self.border)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, kw_only=True)
class ConstructionConfig(_NamedSettings):
    """All settings of a construction, as in the record of a model."""

    # The default dimension depends on how many nodes have several parents.
    FROM_THE_DATA: ClassVar = ("dim",)

    method: str
    dim: int
    seed: int
    K: float
    seconds: float = 0.0
    restarts: int = 0

    def __post_init__(self) -> None:
        if self.restarts and self.method != DEFAULT_CONSTRUCTION:
            raise ConfigError(
                f"{option('restarts')} is {self.restarts}, but {self.method} always starts alike; leave it out"
            )
        if self.seconds and self.method != DEFAULT_CONSTRUCTION:
            raise ConfigError(
                f"{option('seconds')} is {self.seconds}, but {self.method} takes as long as it takes; leave it out"
            )
        if self.dim < 2:
            raise ConfigError(
                f"{option('dim')} is {self.dim}, but {self.method} needs at least 2, for caps to lie on a sphere"
            )

    @property
    def settings(self) -> Settings:
        """The settings that the formulas of cones need."""
        return Settings(K=self.K, border=CONSTRUCTED_BORDER)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML."""
        return dataclasses.asdict(self)


# All settings, for help, checks and documentation.
OPTIONS = {
    field.name: Option(field.name, {"int": int, "float": float, "str": str}[str(field.type)], **field.metadata)
    for field in dataclasses.fields(TrainingConfig)
}


# What other libraries call these settings.
OTHER_NAMES = {
    **dict.fromkeys(
        ("n_components", "n_dim", "n_dims", "ndim", "dims", "dimension", "dimensions", "size", "vector_size"), "dim"
    ),
    **dict.fromkeys(("embedding_dim", "embedding_size", "hidden_dim"), "dim"),
    **dict.fromkeys(("random_state", "random_seed"), "seed"),
    **dict.fromkeys(("epoch", "n_epochs", "num_epochs", "max_epochs", "max_iter", "n_iter", "iterations"), "epochs"),
    **dict.fromkeys(("lr", "learning_rate", "eta", "step_size"), "rate"),
    **dict.fromkeys(("negative", "n_negatives", "num_negatives", "negative_samples"), "negatives"),
    **dict.fromkeys(("batch", "batchsize", "minibatch", "mini_batch", "minibatch_size"), "batch_size"),
    **dict.fromkeys(("n_jobs", "workers", "n_threads", "num_threads"), "threads"),
    **dict.fromkeys(("early_stopping", "n_iter_no_change"), "patience"),
}


def unknown_setting(name: str, known: Iterable[str] = (), kind: str = "setting") -> UnknownNameError:
    """The error for a setting that does not exist, with the one that is meant; ``known`` are further names.

    >>> str(unknown_setting("lr")), str(unknown_setting("patiense"))
    ("there is no setting 'lr'; did you mean rate?", "there is no setting 'patiense'; did you mean patience?")
    """
    if name.casefold() in OTHER_NAMES:
        return UnknownNameError(f"there is no {kind} {name!r}; did you mean {OTHER_NAMES[name.casefold()]}?")
    return unknown_name(kind, name, [*OPTIONS, *known])


def method_of(given: Mapping[str, Any], *, learns: bool = False) -> str:
    """The given method, with *auto* resolved: to the default learner if ``learns``, else to the default construction.

    ``learns`` is whether a split or starting points are given. No other setting affects *auto*.

    >>> method_of({"dim": 3}), method_of({"dim": 3}, learns=True), method_of({"method": "order"})
    ('overlapping-caps', 'hyperbolic-cones', 'order')
    """
    method = given.get("method", AUTO)
    if method == AUTO:
        return DEFAULT_LEARNER if learns else DEFAULT_CONSTRUCTION
    if not isinstance(method, str) or method not in METHODS.keys() | CONSTRUCTIONS.keys():
        raise unknown_name("method", str(method), (AUTO, *METHODS, *CONSTRUCTIONS))
    return method


def with_new_names(given: Mapping[str, Any], *, warn: bool) -> dict[str, Any]:
    """The settings with the old names of constructions replaced; with ``warn``, old names cause a warning.

    >>> with_new_names({"method": "overlapping", "dim": 5}, warn=False)
    {'method': 'overlapping-caps', 'dim': 5}
    """
    renamed = dict(given)
    for name in ("method", "init"):
        old = given.get(name)
        if isinstance(old, str) and old in OLD_METHODS:
            renamed[name] = OLD_METHODS[old]
            if warn:
                warn_renamed(option(name, old), option(name, renamed[name]))
    return renamed


def training_config(given: Mapping[str, Any], edges: int) -> TrainingConfig:
    """The configuration for so many edges: the given settings, and the defaults of the method for all others."""
    method = find_method(method_of(given, learns=True))
    enough = min(MOST_EPOCHS, math.ceil(ENOUGH_VISITS / max(1, edges)))
    usual: dict[str, Any] = {name: known.default for name, known in OPTIONS.items()}
    usual |= {**USUAL, **method.defaults, "method": method.name}
    usual |= {name: max(usual[name], enough) for name in TrainingConfig.FROM_THE_DATA}
    values: dict[str, Any] = {}
    for name, known in OPTIONS.items():
        if name == "relatives":
            # In two dimensions cones cannot pass each other, so pushing relatives apart early blocks even small trees.
            helps = values["corrupt"] == "both" and values["dim"] > 2
            usual[name] = int(method.share_of_relatives * values["negatives"]) if helps else 0
        values[name] = known.check(given.get(name, usual[name]))
    return TrainingConfig(**values)


def construction_config(given: Mapping[str, Any], multi_parent_share: float) -> ConstructionConfig:
    """The configuration for this share of nodes with several parents; settings of learning are refused."""
    method = method_of(given)
    for name, value in given.items():
        default = OPTIONS[name].default
        if name not in COMMON and not (type(value) is type(default) and value == default):
            raise ConfigError(
                f"{option(name)} is {format_value(value)}, but {method} is constructed and learns nothing; leave it"
                f" out, or choose {option('method', DEFAULT_LEARNER)}"
            )
    needs_more = method == DEFAULT_CONSTRUCTION and multi_parent_share >= MANY_MULTI_PARENT
    usual = {name: OPTIONS[name].default for name in COMMON}
    usual |= {"method": method, "dim": LARGER_DIM if needs_more else USUAL_DIM}
    if given.get("dim") == AUTO:
        if method != DEFAULT_CONSTRUCTION:
            raise ConfigError(f"{option('dim')} is {AUTO}, but {method} needs no more than any; give a number")
        # The first one to try.
        given = {**given, "dim": USUAL_DIM}
    return ConstructionConfig(**{name: OPTIONS[name].check(given.get(name, usual[name])) for name in COMMON})


class FitConfig:
    """The given settings of a fit, before the data is known. Settings that are None get the method's default.

    Each value is checked here; whether the values are compatible is checked once *auto* is resolved.

    >>> FitConfig(method="order").rate
    0.1
    >>> FitConfig(dim=0)
    Traceback (most recent call last):
    hypercone.errors.ConfigError: dim is 0, but must be at least 1 or auto
    """

    def __init__(self, /, **given: Any) -> None:
        given = with_new_names(given, warn=True)
        for name in given:
            if name not in OPTIONS:
                raise unknown_setting(name)
        # In the order of the options; *auto* counts as not given.
        chosen = {name: given[name] for name in OPTIONS if given.get(name) is not None}
        vars(self)["given"] = {name: value for name, value in chosen.items() if value != AUTO or name != "method"}
        if "method" in self.given:
            _ = self.example
        else:
            for name, value in self.given.items():
                OPTIONS[name].check(value)

    @cached_property
    def example(self) -> TrainingConfig | ConstructionConfig:
        """The full configuration for example data; ConfigError if the settings are invalid for any data."""
        return self.for_parents(0.0) if self.is_construction else self.for_edges(1)

    given: dict[str, Any]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a FitConfig is immutable, so {name} cannot be set; make another one")

    def __getattr__(self, name: str) -> Any:
        """The value of a setting; None if it depends on the data or a construction does not use it."""
        if name not in OPTIONS:
            raise AttributeError(f"a FitConfig has no setting {name!r}")
        is_open = name in self.example.FROM_THE_DATA and name not in self.given
        return None if is_open else getattr(self.example, name, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FitConfig) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.as_dict().items()))

    def __repr__(self) -> str:
        return f"FitConfig({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"

    @property
    def method(self) -> str:
        """The given method, or the one that *auto* means without a split or starting points."""
        return method_of(self.given)

    @property
    def is_construction(self) -> bool:
        """Whether the method is a construction.

        >>> FitConfig().is_construction, FitConfig(method="order").is_construction
        (True, False)
        """
        return self.method in CONSTRUCTIONS

    @property
    def settings(self) -> Settings:
        """The part that the method's formulas need."""
        return self.example.settings

    def for_learning(self) -> FitConfig:
        """The same configuration with *auto* resolved to the default learner.

        >>> FitConfig(dim=3).for_learning().method, FitConfig(method="nested-caps").for_learning().method
        ('hyperbolic-cones', 'nested-caps')
        """
        return FitConfig(**self.given | {"method": method_of(self.given, learns=True)})

    def for_edges(self, count: int) -> TrainingConfig:
        """The full configuration of learning from so many edges.

        >>> config = FitConfig(method="hyperbolic-cones")
        >>> config.for_edges(1_000_000).epochs, config.for_edges(1_000).epochs
        (100, 2000)
        """
        return training_config(self.given, count)

    def for_parents(self, multi_parent_share: float) -> ConstructionConfig:
        """The full configuration of a construction if this share of the nodes has several parents.

        >>> FitConfig().for_parents(0.02).dim, FitConfig().for_parents(0.5).dim, FitConfig(dim=3).for_parents(0.5).dim
        (5, 10, 3)
        """
        return construction_config(self.given, multi_parent_share)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML; for a construction, only the settings that it uses."""
        values = {name: getattr(self, name) for name in self.example.as_dict()}
        return {name: value for name, value in values.items() if value is not None or not self.is_construction}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> FitConfig:
        """A configuration from plain values, such as those in a record; names of version 0.1 are accepted.

        >>> FitConfig.from_dict({"method": "overlapping"}).method
        'overlapping-caps'
        """
        return cls(**with_new_names(values, warn=False))

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> FitConfig:
        """A configuration from a TOML file of ``name = value`` lines; overrides take precedence.

        Errors in a value of the file name the file.
        """
        given = with_new_names(read_settings_file(path), warn=True)
        for name, value in given.items():
            if name not in OPTIONS:
                raise UnknownNameError(f"{path}: {unknown_setting(name)}")
            if name not in overrides:
                OPTIONS[name].check(value, f"{path}: {name}")
        return cls(**given | overrides)


# Settings need a few thousand bytes; the parser takes quadratic time for some larger files.
LARGEST = 16_384


def read_settings_file(path: str | Path) -> dict[str, Any]:
    """The settings in a TOML file of ``name = value`` lines; InputError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(f"{path}: is larger than a file of settings can be ({LARGEST:,} bytes)")
        return tomllib.loads(content.decode())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except RecursionError:
        raise InputError(f"{path}: is not valid TOML (it is nested too deeply)") from None
    except ValueError as error:
        # Invalid TOML, invalid UTF-8, and numbers with too many digits.
        raise InputError(f"{path}: is not valid TOML ({str(error)[:200]})") from None
