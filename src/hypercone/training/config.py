"""ConstructionConfig, TrainingConfig, options as data, TOML.

Configuration fields that carry their range, choices and reason, so that help, checks and docs say the same.

The one configuration of a fit: every setting with its default, its range and its reason.

Settings from a TOML file, whoever wrote it.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError, InputError, unknown_name
from hypercone.methods import METHODS, Settings, find_method

BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "at_least": operator.lt,
    "at_most": operator.gt,
    "above": operator.le,
}
# NumPy's numbers are welcome; the configuration keeps plain ones.
KINDS: dict[type, tuple[Any, str]] = {
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a finite number"),
    str: (str, "text"),
}


def setting(
    default: Any,
    reason: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """A dataclass field with its reason and its range. A default of None means that the method chooses."""
    rules = {"reason": reason, "at_least": at_least, "at_most": at_most, "above": above, "choices": choices}
    return dataclasses.field(default=default, metadata=rules)


def check(field: dataclasses.Field[Any], value: Any) -> None:
    """Refuse a value of the wrong type or outside its range, in one sentence."""
    rules = field.metadata
    _check_type(field, value)
    if rules.get("choices") and value not in rules["choices"]:
        raise ConfigError(f"{field.name} is {shown(value)}, but must be one of {', '.join(rules['choices'])}")
    for rule, is_broken in BOUNDS.items():
        bound = rules.get(rule)
        if bound is not None and is_broken(value, bound):
            raise ConfigError(f"{field.name} is {shown(value)}, but must be {rule.replace('_', ' ')} {bound}")


def kind_of(field: dataclasses.Field[Any]) -> type:
    """int, float or str, from the annotation."""
    annotation = str(field.type).removesuffix(" | None")
    return {"int": int, "float": float, "str": str}[annotation]


def _check_type(field: dataclasses.Field[Any], value: Any) -> None:
    kind = kind_of(field)
    accepted, called = KINDS[kind]
    if isinstance(value, bool) or not isinstance(value, accepted):
        raise ConfigError(f"{field.name} is {shown(value)}, but must be {called}")
    if kind is float and not _is_finite(value):
        raise ConfigError(f"{field.name} is {shown(value)}, but must be {called}")


def shown(value: Any, most: int = 60) -> str:
    """A value as a message shows it, however long it is.

    >>> shown("two"), shown(0.5), shown(10**5000), len(shown("x" * 1000))
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


# Settings whose best value depends on the data: open until ``for_edges``.
AUTOMATIC = ("epochs", "init_epochs")
# A small hierarchy is visited more often, until it has been learned: its epochs cost next to nothing.
ENOUGH_VISITS = 3_000_000
MOST_EPOCHS = 2_000
# The best for a taxonomy that is known whole, and for one of which a part is held out.
DEFAULT_CONSTRUCTION, DEFAULT_LEARNER = "overlapping", "hyperbolic-cones"
# What a construction takes as well; every other setting is one of learning.
COMMON = ("method", "dim", "seed", "K")
USUAL_DIM, ROOMY_DIM = 5, 10
# From this share of nodes with several parents on, overlapping caps get the roomy dimension.
MANY_SEVERAL = 0.1
# Where constructed points may go: they need more of the ball than learned ones do.
CONSTRUCTED_BORDER = 1e-9


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """How to fit. Settings left at None take the method's own default, and epochs left open follow from the data.

    >>> FitConfig(method="order").rate
    0.1
    >>> FitConfig(dim=0)
    Traceback (most recent call last):
    hypercone.errors.ConfigError: dim is 0, but must be at least 1
    """

    method: str = setting(
        None,
        "what is learned or constructed; left open, overlapping, which is constructed, unless a setting of learning is"
        " given or edges are held out: then hyperbolic-cones",
        choices=(*METHODS, *CONSTRUCTIONS),
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
    epochs: int | None = setting(
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
    init_epochs: int | None = setting(
        None, "epochs of pre-training; left open, as for epochs", at_least=0, at_most=10**9
    )
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
        given = [field for field in dataclasses.fields(self) if _is_given(field, getattr(self, field.name))]
        usual = DEFAULT_LEARNER if given else DEFAULT_CONSTRUCTION
        # No field: whoever holds edges out may still choose, and two configurations are equal by what they say.
        object.__setattr__(self, "_is_open", cast(Any, self.method) is None)
        object.__setattr__(self, "method", usual if cast(Any, self.method) is None else self.method)
        if not isinstance(self.method, str) or self.method not in METHODS.keys() | CONSTRUCTIONS.keys():
            raise unknown_name("method", str(self.method), (*METHODS, *CONSTRUCTIONS))
        if self.method in CONSTRUCTIONS:
            self._check_construction(given)
            return
        chosen: dict[str, Any] = {
            "dim": USUAL_DIM,
            "parent_candidates": "all",
            "burn_in": 0,
            "start_spread": 1e-3,
            "margin": 0.01,
        }
        chosen |= find_method(self.method).defaults
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is None and field.name in AUTOMATIC:
                continue
            if field.name == "relatives":
                chosen["relatives"] = self._usual_relatives()
            if getattr(self, field.name) is None:
                object.__setattr__(self, field.name, chosen.get(field.name, field.default))
            check(field, getattr(self, field.name))
            object.__setattr__(self, field.name, kind_of(field)(getattr(self, field.name)))
        if self.margin > find_method(self.method).largest_margin:
            raise ConfigError(f"margin is {self.margin}, but a cone's must be at most π/2, an angle in radians")
        if self.relatives and find_method(self.method).loss != "margin":
            raise ConfigError(
                f"relatives is {self.relatives}, but {self.method} ranks distances and has none; leave it out"
            )
        if self.positive_weight != 1.0 and find_method(self.method).loss != "margin":
            raise ConfigError(
                f"positive_weight is {self.positive_weight}, but {self.method} ranks distances; leave it out"
            )
        if self.relatives >= self.negatives:
            raise ConfigError(f"relatives is {self.relatives}, but must be below negatives, {self.negatives}")
        if self.init == self.method:
            raise ConfigError(f"init is {self.init}, the method itself; use init = random and more epochs")

    def _check_construction(self, given: list[dataclasses.Field[Any]]) -> None:
        """Of a construction, only what is common to all methods counts; what is only learning's stays open."""
        for field in given:
            raise ConfigError(
                f"{field.name} is {shown(getattr(self, field.name))}, but {self.method} is constructed and learns"
                f" nothing; leave it out, or choose method = {DEFAULT_LEARNER}"
            )
        for field in dataclasses.fields(self):
            value = field.default if getattr(self, field.name) is None else getattr(self, field.name)
            if field.name in COMMON and value is not None:
                check(field, value)
                value = kind_of(field)(value)
            object.__setattr__(self, field.name, value)
        if cast(Any, self.dim) is not None and self.dim < 2:
            raise ConfigError(f"dim is {self.dim}, but {self.method} needs at least 2, for caps to lie on a sphere")

    @property
    def is_construction(self) -> bool:
        """Whether nothing is learned.

        >>> FitConfig().is_construction, FitConfig(epochs=20).is_construction
        (True, False)
        """
        return self.method in CONSTRUCTIONS

    def _usual_relatives(self) -> int:
        # In the plane cones cannot pass each other: pushing relatives apart early jams even a small tree.
        helps = self.corrupt == "both" and self.dim > 2
        return int(find_method(self.method).share_of_relatives * self.negatives) if helps else 0

    def for_learning(self) -> FitConfig:
        """The same where a method was given; else that of the method which learns, for edges that are held out.

        >>> FitConfig(dim=3).for_learning().method, FitConfig(method="construction").for_learning().method
        ('hyperbolic-cones', 'construction')
        """
        if not (self.is_construction and getattr(self, "_is_open", False)):
            return self
        return FitConfig.from_dict(self.as_dict() | {"method": DEFAULT_LEARNER})

    def for_edges(self, count: int) -> FitConfig:
        """The configuration with nothing left open, for so many positives.

        >>> config = FitConfig(method="hyperbolic-cones")
        >>> config.for_edges(1_000_000).epochs, config.for_edges(1_000).epochs
        (100, 2000)
        """
        if self.is_construction:
            return self
        usual = {"epochs": find_method(self.method).defaults["epochs"], "init_epochs": 100}
        enough = min(MOST_EPOCHS, math.ceil(ENOUGH_VISITS / max(1, count)))
        open_ones = {name: max(usual[name], enough) for name in AUTOMATIC if getattr(self, name) is None}
        return dataclasses.replace(self, **open_ones)

    def for_parents(self, share_of_several: float) -> FitConfig:
        """The configuration of a construction with nothing left open, for a share of nodes with several parents.

        >>> FitConfig().for_parents(0.02).dim, FitConfig().for_parents(0.5).dim, FitConfig(dim=3).for_parents(0.5).dim
        (5, 10, 3)
        """
        is_roomy = self.method == DEFAULT_CONSTRUCTION and share_of_several >= MANY_SEVERAL
        open_dim = ROOMY_DIM if is_roomy else USUAL_DIM
        return dataclasses.replace(self, dim=open_dim if cast(Any, self.dim) is None else self.dim)

    @property
    def settings(self) -> Settings:
        """The part that the method's formulas need."""
        if self.is_construction:
            return Settings(K=self.K, border=CONSTRUCTED_BORDER)
        return Settings(K=self.K, margin=self.margin, border=self.border)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and TOML; of a construction, the few that count."""
        values = dataclasses.asdict(self)
        if self.is_construction:
            return {name: values[name] for name in COMMON if values[name] is not None}
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> FitConfig:
        """A configuration from plain values; a name that is no setting is refused with the nearest that is.

        To name a setting of learning is to learn, even if its value is the default.

        >>> FitConfig.from_dict({"edges": "closure"}).method
        'hyperbolic-cones'
        """
        names = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in names:
                raise unknown_name("setting", name, names)
        learns = any(name not in COMMON and value is not None for name, value in values.items())
        if learns and values.get("method") is None:
            values = values | {"method": DEFAULT_LEARNER}
        return cls(**values)

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> FitConfig:
        """A configuration from a TOML file of ``name = value`` lines; overrides win."""
        return cls.from_dict(read_settings_file(path) | overrides)


def _is_given(field: dataclasses.Field[Any], value: Any) -> bool:
    """Whether a setting of learning was chosen rather than left as it is."""
    is_left = value is None or (type(value) is type(field.default) and value == field.default)
    return field.name not in COMMON and not is_left


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
