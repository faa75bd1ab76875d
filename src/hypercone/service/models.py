"""The served models, each with an index from names to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from hypercone._arrays import read_only
from hypercone.embedding import Embedding
from hypercone.embedding.origin import kind_in_words
from hypercone.embedding.relatives import BY
from hypercone.errors import InputError, ObsoleteNameError, UnknownNameError, short, some, unknown_name
from hypercone.hierarchy.lookup import find_rows
from hypercone.hierarchy.names import NodeNames
from hypercone.hierarchy.similarity import MEASURES
from hypercone.methods.generic_kernels import energies_of_pairs
from hypercone.queries.answers import Answer
from hypercone.queries.questions import GEOMETRY, QUESTIONS, TEXT, QuestionInput
from hypercone.service.errors import Refusal, bad_request


@dataclass(slots=True)
class About:
    """A description of a served model."""

    name: str
    method: str
    made_by: str
    dim: int
    nodes: int
    threshold: float
    kind: str
    answers_by: str


@dataclass(slots=True)
class Served:
    """Descriptions of all served models."""

    models: list[About]


class Model:
    """An embedding and the name it is served under.

    >>> from hypercone.methods import Settings
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0]])
    >>> model = Model("pets", Embedding(["animal", "dog"], points, "hyperbolic-cones", Settings(), threshold=0.0))
    >>> model.rows["dog"], model.json(QUESTIONS["vector"].respond(QuestionInput(model.embedding, [1])))
    (1, b'{"model":"pets","name":"dog","label":null,"vector":[0.9,0.0]}')
    """

    def __init__(self, name: str, embedding: Embedding) -> None:
        if not len(embedding):
            raise InputError(f"the model {name} has no nodes, so there is nothing to ask; serve another")
        self.name, self.embedding, self.names = name, embedding, embedding.names
        self.rows = Rows(embedding)
        self._one, scorer = np.zeros((1, 2), np.int32), embedding.scorer
        self._of_one = (scorer.points, read_only(self._one), scorer.constants, scorer.dim)
        self._is_margin = scorer.method.loss == "margin"
        self._beginning, self._encode = b'{"model":' + msgspec.json.encode(name) + b",", msgspec.json.Encoder().encode

    def energy(self, child: int, parent: int) -> float:
        """The energy of one pair of rows; must be called from the event loop only, since calls share one array."""
        self._one[0, 0], self._one[0, 1] = parent, child
        signed = float(energies_of_pairs(*self._of_one)[0])
        return max(signed, 0.0) if self._is_margin else signed

    def json(self, answer: Answer) -> bytes:
        """The answer as JSON, with the name of the model as its first member."""
        return self._beginning + self._encode(answer)[1:]

    def about(self) -> About:
        """The description of this model."""
        model = self.embedding
        kind, threshold = kind_in_words(model), float(model.threshold)
        return About(self.name, model.method, model.made_by, model.dim, len(model), threshold, kind, model.default_by)

    def example(self) -> tuple[str, str]:
        """A child and a parent for an example question: an edge, if the model has its edges."""
        edges = self.embedding.edges
        parent, child = edges[-1] if edges is not None and len(edges) else (0, len(self.names) - 1)
        return self.names[child], self.names[parent]

    def warm_up(self) -> None:
        """Ask every question once in each way, so that no request has to wait for the compiler or the index."""
        child, parent = rows = [self.rows[name] for name in self.example()]
        _ = self.embedding.index, self.energy(child, parent)
        known = BY if self.embedding.edges is not None else GEOMETRY
        for question in QUESTIONS.values():
            about = rows if question.takes(2) else rows[:1]
            text = self.names[child] if question.arguments == TEXT else ""
            ways: list[str | None] = [by for by in question.answered_by if by in known]
            for by in ways or ([] if question.answered_by else [None]):
                for measure in MEASURES if question.has_measure else MEASURES[:1]:
                    question.respond(QuestionInput(self.embedding, about, 1, text, by=by, measure=measure))
                if question.in_columns is not None:
                    question.in_columns(self.embedding, np.array([rows], np.int32), by)
        self.rows.prepare()
        place(self.embedding, [self.names[parent]], [])


def place(embedding: Embedding, parents: Sequence[str], not_under: Sequence[str]) -> list[float]:
    """The point of a new node under these parents; the embedding is not changed."""
    name = "new"
    while name in embedding._rows or (embedding.glossary is not None and embedding.glossary.has_id(name)):
        name += "_"
    larger = embedding.add(name, parents, not_under=not_under)
    point: list[float] = larger.points[-1].tolist()
    return point


class Models:
    """The served models by name; a request may omit the name if there is only one."""

    def __init__(self, embeddings: Mapping[str, Embedding]) -> None:
        self._models = {name: Model(name, embedding) for name, embedding in embeddings.items()}
        self._only = next(iter(self._models.values())) if len(self._models) == 1 else None

    def __iter__(self) -> Iterator[Model]:
        return iter(self._models.values())

    def __len__(self) -> int:
        return len(self._models)

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        return list(self._models)

    def find(self, name: str | UnsetType) -> Model:
        """The model with this name, or the only one."""
        if name is UNSET:
            if self._only is None:
                raise bad_request(f"model is missing; say which model to ask: {some(self.names)}")
            return self._only
        if name in self._models:
            return self._models[name]
        if len(name) > max(map(len, self._models)):
            raise Refusal(404, "unknown_model", f"there is no model {short(name)!r}; see /v1/models")
        raise Refusal(404, "unknown_model", f"{unknown_name('model', name, self._models)}; see /v1/models")


# An obsolete id or the whole address of a node may be longer than all names; a longer text than this is none.
LONGEST_NAMESPACE = 200


class NoSuchRow(Exception):
    """A text that does not identify exactly one node; ``refusal``, which may be slow, explains why."""

    def __init__(self, text: str, refusal: Callable[[str], Refusal]) -> None:
        super().__init__(text)
        self.text, self._refusal = text, refusal
        self._place = ""
        self._index: int | None = None

    def at(self, place: str, index: int | None) -> NoSuchRow:
        """Add the place of the text in the request, and the index of the item it belongs to."""
        self._place, self._index = f"{place}: ", index
        return self

    def refusal(self) -> Refusal:
        """The refusal for the client, with similar names as suggestions."""
        found = self._refusal(self.text)
        return Refusal(found.status, found.code, f"{self._place}{found.message}", index=self._index)


class Rows(dict[str, int]):
    """The row of every name; also finds a node by its other names, and raises NoSuchRow for a text that is none.

    >>> import numpy as np
    >>> from hypercone.hierarchy.names import Labels
    >>> from hypercone.methods import Settings
    >>> heart = Embedding(["HP:1"], np.array([[0.5, 0.0]]), "order", Settings(), 0.0, labels=Labels(["Heart"]))
    >>> rows = Rows(heart)
    >>> rows["HP:1"], rows["heart"], "heart" in rows
    (0, 0, False)
    """

    def __init__(self, embedding: Embedding) -> None:
        names = NodeNames(embedding.names)
        super().__init__(names.row_of)
        self._embedding = embedding
        self._known = (names, embedding.labels, embedding.glossary)
        texts = embedding.labels.texts if embedding.labels else ()
        others = () if embedding.glossary is None else (text for _, text in embedding.glossary.names())
        self._longest = max(map(len, chain(names, texts, others)), default=0) + LONGEST_NAMESPACE

    def __missing__(self, text: str) -> int:
        found = find_rows(text, *self._known)
        if len(found.rows) == 1:
            return found.rows[0]
        raise NoSuchRow(text, self._refusal)

    def prepare(self) -> None:
        """Build what finds a node by its other names, so that no request waits for it."""
        find_rows("", *self._known)

    def _refusal(self, text: str) -> Refusal:
        # The search for similar names is slow for long texts, and a text longer than all names has none.
        if len(text) > self._longest:
            return _not_found(f"there is no node {short(text)!r}")
        try:
            self._embedding.row(text)
        except ObsoleteNameError as error:
            return Refusal(404, "obsolete_name", str(error))
        except UnknownNameError as error:
            return _not_found(str(error))
        except InputError as error:
            return Refusal(400, "ambiguous_name", str(error))
        return _not_found(f"there is no node {short(text)!r}")


def _not_found(message: str) -> Refusal:
    return Refusal(404, "unknown_name", message)
