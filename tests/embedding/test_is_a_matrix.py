"""The sparse relation says of each pair what is_a says."""

from __future__ import annotations

import pytest
import scipy.sparse

from hypercone.errors import InputError, UnknownNameError
from hypercone.methods import METHODS


@pytest.mark.parametrize("method", METHODS)
def test_an_entry_is_what_is_a_says(make_embedding, method):
    embedding = make_embedding(method, count=30, threshold=0.2)
    found = embedding.to_sparse()
    assert isinstance(found, scipy.sparse.csr_array)
    assert found.shape == (30, 30)
    assert found.dtype == bool
    assert found.has_canonical_format
    expected = embedding.is_a([a for a in embedding.names for _ in range(30)], list(embedding.names) * 30)
    expected = expected.reshape(30, 30)
    expected[range(30), range(30)] = False
    assert 0 < found.nnz == expected.sum()
    assert (found.toarray() == expected).all()


def test_rows_are_ancestors_and_columns_descendants(fitted):
    found = fitted.to_sparse()
    child = fitted.names[-1]
    above = {fitted.names[column] for column in found[[fitted.row(child)]].indices}
    assert above == set(fitted.ancestors(child))
    root = fitted.names[0]
    below = {fitted.names[row] for row in found.tocsc()[:, [fitted.row(root)]].indices}
    assert below == set(fitted.descendants(root))


def test_chosen_names_keep_their_order(fitted):
    names = [fitted.names[5], fitted.names[0], fitted.names[2]]
    found = fitted.to_sparse(names).toarray().tolist()
    assert found == [[a != b and fitted.is_a(a, b) for b in names] for a in names]
    assert any(map(any, found))


def test_no_names_give_an_empty_relation(fitted):
    assert fitted.to_sparse([]).shape == (0, 0)


def test_what_is_no_list_of_known_names_is_refused(fitted):
    with pytest.raises(InputError, match="give a list of names"):
        fitted.to_sparse("root")
    with pytest.raises(UnknownNameError, match="no node 'nobody'"):
        fitted.to_sparse(["nobody"])
