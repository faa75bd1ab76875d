"""How to fit: every setting with its default, its range and its reason, and the two configurations made of them.

What a user gives, in Python, in a TOML file or on the command line, is a ``FitConfig``. Once the data is known it
becomes a ``TrainingConfig`` or a ``ConstructionConfig``, in which nothing is left open.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import OLD_METHODS, ConfigError, InputError, UnknownNameError, option, unknown_name, warn_renamed
from hypercone.methods import METHODS, Settings, find_method

BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "at_least": operator.lt,
    "at_most": operator.gt,
    "above": operator.le,
}
# NumPy's numbers are welcome; the configuration keeps plain ones.
KINDS: dict[type, tuple[type, str]] = {
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a finite number"),
    str: (str, "text"),
}
# The best for a taxonomy that is known whole, and for one of which a part is held out.
AUTO, DEFAULT_CONSTRUCTION, DEFAULT_LEARNER = "auto", "overlapping-caps", "hyperbolic-cones"
# What a construction takes as well; every other setting is one of learning.
COMMON = ("method", "dim", "seed", "K")
USUAL_DIM, LARGER_DIM = 5, 10
# From this share of nodes with several parents on, overlapping caps get the roomy dimension.
MANY_MULTI_PARENT = 0.1
# Where constructed points may go: they need more of the ball than learned ones do.
CONSTRUCTED_BORDER = 1e-9
# A small hierarchy is visited more often, until it has been learned: its epochs cost next to nothing.
ENOUGH_VISITS = 3_000_000
MOST_EPOCHS = 2_000
# Of learning, where the method says nothing else.
USUAL = {
    "dim": USUAL_DIM,
    "parent_candidates": "all",
    "init_epochs": 100,
    "burn_in": 0,
    "start_spread": 1e-3,
    "margin": 0.01,
}


@dataclass(frozen=True)
class Option:
    """One setting as help, checks and documentation know it; without a default the method or the data decides."""

    name: str
    kind: type
    default: int | float | str | None
    reason: str
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: Any, called: str | None = None) -> Any:
        """The value, plain; ConfigError in one sentence if it is of the wrong type or outside its range.

        The sentence begins with what the setting is ``called``, which is the option unless another text is given.
        """
        wanted = self._missing_in(value)
        if wanted is not None:
            raise ConfigError(f"{called or option(self.name)} is {format_value(value)}, but must be {wanted}")
        return self.kind(value)

    def _missing_in(self, value: Any) -> str | None:
        """What the value must be and is not; None if nothing is wrong with it."""
        accepted, kind = KINDS[self.kind]
        is_right = isinstance(value, accepted) and not isinstance(value, bool)
        if not is_right or (self.kind is float and not _is_finite(value)):
            return kind
        if self.choices and value not in self.choices:
            return f"one of {', '.join(self.choices)}"
        for rule, is_broken in BOUNDS.items():
            bound = getattr(self, rule)
            if bound is not None and is_broken(value, bound):
                return f"{rule.replace('_', ' ')} {bound}"
        return None


def format_value(value: Any, most: int = 60) -> str:
    """A value as a message shows it, however long it is.

    >>> format_value("two"), format_value(0.5), format_value(10**5000), len(format_value("x" * 1000))
    ("'two'", '0.5', 'a number of very many digits', 60)
    """
    try:
        # The numbers of NumPy say more about themselves in repr than a message needs.
        text = str(value) if isinstance(value, numbers.Number) else repr(value)
    except ValueError:
        return "a number of very many digits"
    return text if len(text) <= most else text[: most - 1] + "…"


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def setting(default: int | float | str | None, reason: str, **rules: Any) -> Any:
    """A field of a configuration with all that its option says; whoever makes the configuration gives the value."""
    return dataclasses.field(metadata={"default": default, "reason": reason, **rules})


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How to learn, with nothing left open, as the record of a model has it: ``TrainingConfig(**record["config"])``.

    As ``recipe`` of a fit, it fits again by the same settings.
    """

    # What may be left open until then: the best value depends on the number of edges.
    FROM_THE_DATA: ClassVar = ("epochs", "init_epochs")

    method: str = setting(
        AUTO,
        "what is learned or constructed; auto is overlapping-caps, which is constructed, or hyperbolic-cones where"
        " edges are held out or points to start from are given",
        choices=(AUTO, *METHODS, *CONSTRUCTIONS),
    )
    dim: int = setting(
        None,
        "dimensions; left open, 5, which is enough for most taxonomies, and for overlapping caps 10 if a tenth of the"
        " nodes have several parents, who need the room",
        at_least=1,
        at_most=1024,
    )
    seed: int = setting(0, "the same seed gives the same bytes", at_least=0, at_most=2**63 - 1)
    edges: str = setting(
        "closure",
        "positives: the edges as given, or all they imply (a taxonomy's direct edges imply their closure)",
        choices=("as-given", "closure"),
    )
    epochs: int = setting(
        None,
        "passes over the positives after any pre-training; left open, small hierarchies get more",
        at_least=0,
        at_most=10**9,
    )
    rate: float = setting(None, "learning rate", above=0)
    schedule: str = setting(
        None, "the rate stays, or falls linearly to zero, which ends calmer", choices=("constant", "linear")
    )
    optimizer: str = setting(
        None,
        "sgd: Riemannian SGD by retraction, as in the paper; sgd-exp: the same along geodesics; adagrad: one adaptive"
        " rate a node, whose steps are never longer than the rate",
        choices=("sgd", "sgd-exp", "adagrad"),
    )
    # Below the least, cones are narrower than the borders kept from them, and constructed points fall short of those.
    K: float = setting(0.1, "cone constant; the paper's value, larger means wider cones", at_least=1e-6, at_most=10)
    margin: float = setting(None, "γ, how far outside a wrong pair must be (radians for cones)", above=0)
    border: float = setting(1e-5, "distance kept from the borders of the domain", at_least=1e-12, at_most=1e-2)
    negatives: int = setting(None, "wrong pairs drawn for each positive", at_least=1, at_most=10_000)
    corrupt: str = setting(
        None, "which end of a positive is replaced to make a wrong pair", choices=("child", "parent", "both")
    )
    relatives: int = setting(
        None,
        "how many of the wrong pairs put the child under a relative: another node under the same parent that has"
        " nodes of its own, which uniform draws hardly ever test (left open: a fifth for cones if both ends are"
        " corrupted and there are more than two dimensions)",
        at_least=0,
    )
    positive_weight: float = setting(
        1.0,
        "how much a true pair weighs against one wrong pair (the margin loss of cones and order embeddings)",
        above=0,
        at_most=1_000,
    )
    sampling: str = setting(
        "uniform",
        "how the replacing node is drawn: all alike, or by (children + 1)^power",
        choices=("uniform", "degree"),
    )
    sampling_power: float = setting(0.75, "the power in degree sampling and during burn-in", at_least=0, at_most=2)
    parent_candidates: str = setting(
        None,
        "a leaf is no one's parent: wrong parents from non-leaves teach more",
        choices=("all", "non-leaves"),
    )
    known: str = setting(
        "training",
        "wrong pairs are thrown away if they are true in: the training edges, or everything those imply",
        choices=("training", "closure"),
    )
    push_inside: str = setting(
        None,
        "which wrong pairs are pushed out even when deep inside a cone, where the paper's loss is flat: the ones with a"
        " replaced child, parent, both or none",
        choices=("none", "child", "parent", "both"),
    )
    init: str = setting(
        None,
        "start at random, from a pre-trained embedding, or, for cones, from caps learned from a random start, or from a"
        " construction of the training edges",
        choices=("random", "poincare", "euclidean", "caps", *CONSTRUCTIONS),
    )
    init_epochs: int = setting(None, "epochs of pre-training; left open, as for epochs", at_least=0, at_most=10**9)
    init_corrupt: str = setting(
        "child",
        "as corrupt, for pre-training: a start trained with replaced children suits cones better",
        choices=("child", "parent", "both"),
    )
    rescale: float = setting(
        0.7,
        "pre-trained points are drawn inwards by this factor, for they crowd the border",
        above=0,
        at_most=1,
    )
    burn_in: int = setting(
        None, "extra first epochs at a tenth of the rate, with degree sampling", at_least=0, at_most=10**9
    )
    start_spread: float = setting(None, "half the side of the cube random points start in", above=0, at_most=1)
    validate_every: int = setting(20, "epochs between validations, when there are validation pairs", at_least=1)
    patience: int = setting(0, "stop after this many validations without a better F1; 0 means never", at_least=0)
    threads: int = setting(
        1, "more than one is lock-free parallel SGD: faster, and not reproducible", at_least=1, at_most=256
    )

    def __post_init__(self) -> None:
        method = find_method(self.method)
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
class ConstructionConfig:
    """How to construct, with nothing left open, as the record of a model has it."""

    # The best dimension depends on how many nodes have several parents.
    FROM_THE_DATA: ClassVar = ("dim",)

    method: str
    dim: int
    seed: int
    K: float

    def __post_init__(self) -> None:
        if self.dim < 2:
            raise ConfigError(
                f"{option('dim')} is {self.dim}, but {self.method} needs at least 2, for caps to lie on a sphere"
            )

    @property
    def settings(self) -> Settings:
        """The part that the formulas of cones need."""
        return Settings(K=self.K, border=CONSTRUCTED_BORDER)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML."""
        return dataclasses.asdict(self)


# The one list of settings, for help, checks and documentation.
OPTIONS = {
    field.name: Option(field.name, {"int": int, "float": float, "str": str}[str(field.type)], **field.metadata)
    for field in dataclasses.fields(TrainingConfig)
}


def method_of(given: Mapping[str, Any], *, learns: bool = False) -> str:
    """The method that is given; *auto* learns where edges are held out or points to start from are given.

    That is what ``learns`` says. No other setting decides it.

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
    """The settings with constructions by their names of today; whoever still uses the old ones can be told.

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
    """How to learn from so many edges: what is given, else what the method or the number of edges says."""
    method = find_method(method_of(given, learns=True))
    enough = min(MOST_EPOCHS, math.ceil(ENOUGH_VISITS / max(1, edges)))
    usual: dict[str, Any] = {name: known.default for name, known in OPTIONS.items()}
    usual |= {**USUAL, **method.defaults, "method": method.name}
    usual |= {name: max(usual[name], enough) for name in TrainingConfig.FROM_THE_DATA}
    values: dict[str, Any] = {}
    for name, known in OPTIONS.items():
        if name == "relatives":
            # In the plane cones cannot pass each other: pushing relatives apart early jams even a small tree.
            helps = values["corrupt"] == "both" and values["dim"] > 2
            usual[name] = int(method.share_of_relatives * values["negatives"]) if helps else 0
        values[name] = known.check(given.get(name, usual[name]))
    return TrainingConfig(**values)


def construction_config(given: Mapping[str, Any], multi_parent_share: float) -> ConstructionConfig:
    """How to construct from nodes of which such a share has several parents; a setting of learning is refused."""
    method = method_of(given)
    for name, value in given.items():
        default = OPTIONS[name].default
        if name not in COMMON and not (type(value) is type(default) and value == default):
            raise ConfigError(
                f"{option(name)} is {format_value(value)}, but {method} is constructed and learns nothing; leave it"
                f" out, or choose {option('method', DEFAULT_LEARNER)}"
            )
    is_roomy = method == DEFAULT_CONSTRUCTION and multi_parent_share >= MANY_MULTI_PARENT
    usual = {name: OPTIONS[name].default for name in COMMON}
    usual |= {"method": method, "dim": LARGER_DIM if is_roomy else USUAL_DIM}
    return ConstructionConfig(**{name: OPTIONS[name].check(given.get(name, usual[name])) for name in COMMON})


class FitConfig:
    """What is given of how to fit, before the data is known. Settings left at None take the method's own default.

    Each value is checked here; whether they go together, once it is known what *auto* means.

    >>> FitConfig(method="order").rate
    0.1
    >>> FitConfig(dim=0)
    Traceback (most recent call last):
    hypercone.errors.ConfigError: dim is 0, but must be at least 1
    """

    def __init__(self, /, **given: Any) -> None:
        given = with_new_names(given, warn=True)
        for name in given:
            if name not in OPTIONS:
                raise unknown_name("setting", name, OPTIONS)
        # In the order of the options; *auto* says nothing.
        chosen = {name: given[name] for name in OPTIONS if given.get(name) is not None}
        vars(self)["given"] = {name: value for name, value in chosen.items() if value != AUTO or name != "method"}
        if "method" in self.given:
            _ = self.example
        else:
            for name, value in self.given.items():
                OPTIONS[name].check(value)

    @cached_property
    def example(self) -> TrainingConfig | ConstructionConfig:
        """What is given comes to this for some data or other; ConfigError if it cannot be for any."""
        return self.for_parents(0.0) if self.is_construction else self.for_edges(1)

    given: dict[str, Any]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a FitConfig never changes, so {name} cannot be set; make another one")

    def __getattr__(self, name: str) -> Any:
        """The value of a setting; None while it is open, and where a construction has no use for it."""
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
        """What was given, or what follows from it."""
        return method_of(self.given)

    @property
    def is_construction(self) -> bool:
        """Whether nothing is learned.

        >>> FitConfig().is_construction, FitConfig(method="order").is_construction
        (True, False)
        """
        return self.method in CONSTRUCTIONS

    @property
    def settings(self) -> Settings:
        """The part that the method's formulas need."""
        return self.example.settings

    def for_learning(self) -> FitConfig:
        """The same where a method was given; where it is *auto*, that of the method which learns.

        >>> FitConfig(dim=3).for_learning().method, FitConfig(method="nested-caps").for_learning().method
        ('hyperbolic-cones', 'nested-caps')
        """
        return FitConfig(**self.given | {"method": method_of(self.given, learns=True)})

    def for_edges(self, count: int) -> TrainingConfig:
        """How to learn from so many edges, with nothing left open.

        >>> config = FitConfig(method="hyperbolic-cones")
        >>> config.for_edges(1_000_000).epochs, config.for_edges(1_000).epochs
        (100, 2000)
        """
        return training_config(self.given, count)

    def for_parents(self, multi_parent_share: float) -> ConstructionConfig:
        """How to construct, with nothing left open, where such a share of the nodes has several parents.

        >>> FitConfig().for_parents(0.02).dim, FitConfig().for_parents(0.5).dim, FitConfig(dim=3).for_parents(0.5).dim
        (5, 10, 3)
        """
        return construction_config(self.given, multi_parent_share)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML; of a construction, the few that count."""
        values = {name: getattr(self, name) for name in self.example.as_dict()}
        return {name: value for name, value in values.items() if value is not None or not self.is_construction}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> FitConfig:
        """A configuration from plain values, such as a record keeps; names of version 0.1 are understood.

        >>> FitConfig.from_dict({"method": "overlapping"}).method
        'overlapping-caps'
        """
        return cls(**with_new_names(values, warn=False))

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> FitConfig:
        """A configuration from a TOML file of ``name = value`` lines; overrides win.

        What is wrong with a setting of the file by itself is said with the path of the file.
        """
        given = with_new_names(read_settings_file(path), warn=True)
        for name, value in given.items():
            if name not in OPTIONS:
                raise UnknownNameError(f"{path}: {unknown_name('setting', name, OPTIONS)}")
            if name not in overrides:
                OPTIONS[name].check(value, f"{path}: {name}")
        return cls(**given | overrides)


# Settings take a few thousand bytes; what the parser needs grows with the square of some larger files.
LARGEST = 16_384


def read_settings_file(path: str | Path) -> dict[str, Any]:
    """What the lines ``name = value`` say; InputError in one sentence if they cannot be read."""
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
        # Wrong TOML, wrong UTF-8, and numbers of too many digits.
        raise InputError(f"{path}: is not valid TOML ({str(error)[:200]})") from None
