"""The starting points of training: random, pre-trained, from learned caps, or constructed.

The start from caps represents nodes as caps on a sphere, which are pulled into their parents and pushed apart. Cones
are nested exactly as their caps are (geometry.caps), for any K, so caps can be learned instead of cones. Only the
training edges are used. In each epoch every node has one near parent: among its parents in the training edges, the one
whose cap is currently the smallest. So implied edges in the training set cannot flatten the tree; the model finds out
which parents are direct. Near siblings are pushed apart as whole caps, other negative pairs by their centers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone._jit import dimension_type
from hypercone._math_kernels import acos, sin_each, tanh_each
from hypercone._random import unit_vectors
from hypercone.construction import CONSTRUCTIONS, LEARNERS, construct
from hypercone.construction.layout import points_from_caps
from hypercone.construction.overlapping import learn_from_caps, learn_in_forest
from hypercone.construction.refining import RefiningPlan
from hypercone.errors import ConfigError, option
from hypercone.geometry import caps, klein
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import FARTHEST, Points, find_method
from hypercone.progress import Reporter
from hypercone.runs import Checkpoint
from hypercone.runs.folder import DEFAULT_CONTEXT, FREE, PRETRAINING, FitContext
from hypercone.training.caps_kernels import CapSteps, Pull, cap_epoch, tightest_parents
from hypercone.training.config import FitConfig, TrainingConfig, training_config
from hypercone.training.draw_kernels import shuffled_order
from hypercone.training.loop import Stage
from hypercone.training.sampling import Examples, Negatives


def random_points(count: int, config: TrainingConfig) -> Points:
    """Random points in a small cube; they depend on the seed only."""
    random = np.random.default_rng([config.seed, 0x57A27])
    return find_method(config.method).start(random, count, config.dim, config.start_spread)


def starting_points(
    count: int, edges: Rows, known: Adjacency, config: TrainingConfig, context: FitContext = DEFAULT_CONTEXT
) -> Points:
    """The points that the configuration's ``init`` starts from."""
    if config.init == "random":
        return random_points(count, config)
    if config.init == "caps":
        return cap_start(count, edges, known, config, context)
    if config.init in CONSTRUCTIONS:
        return constructed_start(count, edges, config, context)
    if config.init in LEARNERS:
        return learned_start(count, edges, known, config, context)
    return rescaled_start(pretrained_points(count, edges, known, config, context), config)


def rescaled_start(points: Points, config: TrainingConfig | FitConfig) -> Points:
    """Pre-trained points as the start of the main method.

    They are scaled towards the origin by ``rescale``; for a hyperbolic method, Euclidean points are mapped into the
    ball along their rays, so that the Euclidean distance from the origin becomes the hyperbolic one.

    >>> config = FitConfig(method="hyperbolic-cones", init="euclidean", dim=2, rescale=0.5)
    >>> rescaled_start(np.array([[2.0, 0.0]]), config).round(4).tolist()
    [[0.4621, 0.0]]
    """
    scaled = config.rescale * points
    if find_method(config.method).is_hyperbolic and not find_method(config.init).is_hyperbolic:
        # exp at the origin, poincare.exp_map, of half the vector.
        lengths = np.linalg.norm(scaled, axis=1) / 2
        factors = tanh_each(lengths) / np.where(lengths > 0, 2 * lengths, 1)
        return np.asarray(factors[:, None] * scaled, np.float64)
    return scaled


def pretrained_points(
    count: int, edges: Rows, known: Adjacency, config: TrainingConfig, context: FitContext = DEFAULT_CONTEXT
) -> Points:
    """The points after the last epoch of pre-training."""
    pretraining = pretraining_config(config)
    stage = Stage(pretraining, edges, known, context=context, name=f"pre-training ({config.init})")
    found = context.checkpoints.of(PRETRAINING, stage.total)
    trained = stage.resume(found, count) if found else stage.train(random_points(count, pretraining))
    return trained.points


def check_start(points: Points, count: int, config: TrainingConfig) -> Points:
    """The points; ConfigError unless they are finite and one per node. They are projected into the domain later."""
    if points.shape != (count, config.dim):
        raise ConfigError(f"start has the shape {points.shape}, but must be {(count, config.dim)}, one point per node")
    if not np.isfinite(points).all():
        raise ConfigError("start has values that are not finite; give points without NaN or infinity")
    if len(points) and (largest := np.abs(points).max()) > FARTHEST:
        raise ConfigError(f"start has a coordinate of {largest:.3g}; give points with none above {FARTHEST}")
    return np.asarray(points, np.float64)


# The settings of a fit that apply to its pre-training, and their names there.
OF_PRETRAINING = {
    "init": "method",
    "dim": "dim",
    "seed": "seed",
    "init_epochs": "epochs",
    "init_corrupt": "corrupt",
    "batch_size": "batch_size",
    "known": "known",
    "threads": "threads",
    "border": "border",
}


def pretraining_config(config: TrainingConfig) -> TrainingConfig:
    """The configuration of the pre-training: the defaults of its method, except for the settings in OF_PRETRAINING."""
    given = {name: getattr(config, ours) for ours, name in OF_PRETRAINING.items()}
    # The number of edges has no effect, because the epochs are given.
    return training_config(given, edges=1)


# Of a start from caps.
FEWEST_DIMENSIONS = 2

# Negative pairs per edge: with a random child, with a random parent that is not a leaf, and with a sibling.
NEGATIVE_PAIRS = (2, 2, 2)
# Caps start small, so that subtrees can pass each other before they grow; leaves stay smaller than all other caps.
START, SMALLEST, LEAF = 1e-2, 1e-3, 1e-4
# (rate, growth, decay) of positive pairs: the constraint of a near parent is met almost at once, and radii grow slowly;
# otherwise general nodes would cover the sphere before their subtrees have separated.
NEAR, FAR = (0.9, 0.005, 1e-3), (0.1, 0.003, 2e-5)
# Rates of negative pairs in the first epoch, from which they fall linearly. A random negative may be a true pair that
# is not in the training edges: the fewer far parents are given to compensate, the lower the rate.
APART, SIBLINGS_APART = (0.05, 0.2), 0.3
# The decay of radii, which corrects caps that grew too large early on, falls to zero in this part of the epochs.
DECAY_UNTIL = 0.6


class CapArrays(NamedTuple):
    """The caps of all nodes, for the kernels; directions and radii change in place."""

    directions: Points
    radii: NDArray[np.float64]
    is_leaf: NDArray[np.bool_]


@dataclass
class Caps:
    """The caps of all nodes, and the training edges; ``given`` is the edges as lists of parents."""

    directions: Points
    radii: NDArray[np.float64]
    is_leaf: NDArray[np.bool_]
    edges: Rows
    given: Adjacency
    known: Adjacency
    config: TrainingConfig

    @property
    def points(self) -> Points:
        """The points whose cones have these caps."""
        if find_method(self.config.method).is_hyperbolic:
            return points_from_caps(self.directions, self.radii, self.config.K)
        return np.asarray(self.directions * (self.config.K / sin_each(self.radii))[:, None], np.float64)

    def run(self, epoch: int, epochs: int) -> tuple[int, int, float]:
        """One pass over the edges; returns (violated positives, pushed negatives, sum of gaps)."""
        config, tightest = self.config, tightest_parents(self.given.csr, self.radii)
        everyone, inner = np.arange(len(self.radii), dtype=np.int32), np.flatnonzero(~self.is_leaf).astype(np.int32)
        negatives = Negatives(*NEGATIVE_PAIRS, everyone, inner, near_siblings(tightest, self.is_leaf).csr)
        violated, pushed, gaps = cap_epoch(
            CapArrays(self.directions, self.radii, self.is_leaf),
            Examples(self.edges, self.known.csr, negatives),
            shuffled_order(len(self.edges), config.seed, epoch),
            tightest,
            self._steps(epoch / epochs),
            config.seed,
            epoch,
            dimension_type(config.dim, len(self.edges)),
        )
        return int(violated), int(pushed), float(gaps)

    def checkpoint(self, epoch: int) -> Checkpoint:
        """The current caps as the checkpoint of an epoch."""
        return Checkpoint(PRETRAINING, epoch, {"directions": self.directions, "radii": self.radii})

    def restore(self, found: Checkpoint) -> int:
        """Restore the caps from a checkpoint; returns the number of epochs done."""
        self.directions = found.array("directions", self.directions.shape)
        self.radii = found.array("radii", self.radii.shape)
        return found.epoch

    def _steps(self, done: float) -> tuple[object, ...]:
        """The step sizes when this fraction of the epochs is done."""
        decay = max(0.0, 1.0 - done / DECAY_UNTIL)
        near = int(np.count_nonzero(self.given.counts))
        far = len(self.edges) - near
        gentle, firm = APART
        return CapSteps(
            near=Pull(NEAR[0], NEAR[1], decay * NEAR[2]),
            far=Pull(FAR[0], FAR[1], decay * FAR[2]),
            far_share=min(1.0, near / max(1, far)),
            apart=(1.0 - done) * (gentle + (firm - gentle) * min(1.0, far / near)),
            siblings_apart=(1.0 - done) * SIBLINGS_APART,
            smallest=SMALLEST,
            largest=acos(caps.kappa(self.config.K)),
        )


def cap_start(
    count: int, edges: Rows, known: Adjacency, config: TrainingConfig, context: FitContext = DEFAULT_CONTEXT
) -> Points:
    """The points of the cones whose caps are learned from a random start.

    >>> edges = np.array([[0, 1], [0, 2], [1, 3], [1, 4], [2, 5], [2, 6]], np.int32)
    >>> config = FitConfig(dim=3, init="caps", init_epochs=300).for_edges(len(edges))
    >>> points = cap_start(7, edges, parent_lists(edges, 7), config)
    >>> bool(caps.contains(points[0], points[1], config.K))
    True
    """
    method = find_method(config.method)
    if method.curvature is None or config.dim < 2:
        raise ConfigError(
            f"{option('init')} is caps, but {config.method} in {config.dim} dimensions has no caps; choose another one"
        )
    return learned_caps(count, edges, known, config, context).points


def learned_caps(count: int, edges: Rows, known: Adjacency, config: TrainingConfig, context: FitContext) -> Caps:
    """Caps after the last epoch of learning from a random start."""
    learned, epochs = random_caps(count, edges, known, config), config.init_epochs
    found = context.checkpoints.of(PRETRAINING, epochs)
    done = learned.restore(found) if found else 0
    tell = Reporter(context.progress, "pre-training (caps)", epochs) if context.progress else None
    for epoch in range(done, epochs):
        started = time.perf_counter()
        violated, pushed, gaps = learned.run(epoch, epochs)
        if tell:
            seconds = max(time.perf_counter() - started, 1e-9)
            tell(
                epoch + 1,
                loss=gaps / len(edges),
                violated=violated,
                active_negatives=pushed,
                pairs_per_second=len(edges) * (1 + sum(NEGATIVE_PAIRS)) / seconds,
                points=learned.points,
            )
        context.checkpoints.offer(epoch + 1, epochs, partial(learned.checkpoint, epoch + 1))
    return learned


def random_caps(count: int, edges: Rows, known: Adjacency, config: TrainingConfig) -> Caps:
    """Small caps in random directions; they depend on the seed only."""
    random = np.random.default_rng([config.seed, 0xCA95])
    directions = unit_vectors(random, count, config.dim)
    is_leaf = np.bincount(edges[:, 0], minlength=count) == 0
    radii = np.where(is_leaf, LEAF, START)
    return Caps(directions, radii, is_leaf, edges, parent_lists(edges, count), known, config)


def near_siblings(tightest: Rows, is_leaf: NDArray[np.bool_]) -> Adjacency:
    """For each node, the nodes with children whose near parent it is.

    >>> near_siblings(np.array([-1, 0, 0, 1]), np.array([False, False, False, True]))[0].tolist()
    [1, 2]
    """
    rows = np.flatnonzero((tightest >= 0) & ~is_leaf)
    return Adjacency.of_pairs(tightest[rows], rows, len(tightest))


def constructed_start(count: int, edges: Rows, config: TrainingConfig, context: FitContext) -> Points:
    """Constructed points, converted so that each node has the same cone under the method."""
    given = _given_edges(count, edges, config)
    return _for_method(construct(config.init, given, config.dim, config.K, config.seed, context).points, config)


def learned_start(
    count: int, edges: Rows, known: Adjacency, config: TrainingConfig, context: FitContext = DEFAULT_CONTEXT
) -> Points:
    """Points learned from the training edges with exact negative pairs, in a forest of them or from a random start.

    >>> edges = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [2, 5]], np.int32)
    >>> config = FitConfig(method="hyperbolic-cones", dim=3, init="given-edges").for_edges(len(edges))
    >>> points = learned_start(6, edges, parent_lists(edges, 6), config)
    >>> [bool(caps.contains(points[row], points[4], config.K)) for row in (0, 1, 2, 3, 5)]
    [True, True, True, True, False]
    """
    given = _given_edges(count, edges, config)
    if config.init == "given-edges":
        return _for_method(learn_in_forest(given, config.dim, config.K, config.seed, context), config)
    # Once the second stage has a checkpoint, the first has nothing to do.
    if context.checkpoints.of(FREE, RefiningPlan().iterations):
        learned = random_caps(count, edges, known, config)
    else:
        learned = learned_caps(count, edges, known, config, context)
    balls = (learned.directions, learned.radii)
    return _for_method(learn_from_caps(given, *balls, config.K, config.seed, context), config)


def _given_edges(count: int, edges: Rows, config: TrainingConfig) -> Hierarchy:
    """The training edges as a hierarchy; ConfigError if the method has no cones."""
    if find_method(config.method).curvature is None:
        raise ConfigError(
            f"{option('init')} is {config.init}, but {config.method} has no cones to construct; leave it out"
        )
    if config.dim < FEWEST_DIMENSIONS:
        raise ConfigError(
            f"{option('dim')} is {config.dim}, but {option('init', config.init)} needs at least {FEWEST_DIMENSIONS},"
            " for caps to lie on a sphere"
        )
    return Hierarchy([str(row) for row in range(count)], edges)


def _for_method(points: Points, config: TrainingConfig) -> Points:
    """Points of hyperbolic cones, converted so that each node has the same cone under the method."""
    if find_method(config.method).is_hyperbolic:
        return points
    # In Klein coordinates these are Euclidean cones with κ instead of K.
    return np.asarray(config.K / caps.kappa(config.K) * klein.to_klein(points), np.float64)
