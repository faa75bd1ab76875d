"""Unpacking stops where no honest file would go, whatever the packing."""

import gzip
import lzma

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.errors import InputError
from hypercone.formats import source
from hypercone.formats.source import limit_of, unpack

PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


@settings(max_examples=50, deadline=None)
@given(parts=st.lists(st.binary(max_size=3000), min_size=1, max_size=4), piece=st.sampled_from([1, 7, 1024]))
@pytest.mark.parametrize("packing", PACK)
def test_what_was_packed_is_unpacked_in_pieces_of_any_size(packing, parts, piece):
    packed = b"".join(map(PACK[packing], parts))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("UNPACKED_PIECE", "SMALLEST_PIECE", "LARGEST_PIECE", "ZSTD_PIECE"):
            patch.setattr(source, name, piece)
        assert unpack("x", packing, packed) == b"".join(parts)


@pytest.mark.parametrize("packing", PACK)
def test_a_bomb_stops_at_the_limit(packing, monkeypatch):
    monkeypatch.setattr(source, "ALWAYS_ALLOWED", 2**20)
    packed = PACK[packing](bytes(40 * 2**20))
    limit = limit_of(len(packed))
    assert limit < 40 * 2**20
    with pytest.raises(InputError) as caught:
        unpack("bomb", packing, packed)
    assert str(caught.value) == (
        f"bomb: unpacks to more than {limit // 2**20:,} MiB from {len(packed):,} bytes, too much for a hierarchy; "
        "unpack it yourself if you trust it"
    )


def test_the_limit_grows_with_the_file_and_ends_at_four_gibibytes():
    assert [limit_of(size) for size in (0, 2**20, 2**40)] == [64 * 2**20, 300 * 2**20, 4 * 2**30]


def test_zeros_behind_a_gzip_file_are_padding():
    assert unpack("x", ".gz", gzip.compress(b"dog") + bytes(1000)) == b"dog"


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_a_file_cut_short_is_damaged_wherever_it_is_cut(packing, kept):
    packed = PACK[packing](b"".join(b"%d\t%d\n" % (i, i * i) for i in range(5000)))
    with pytest.raises(InputError, match=r"compression is damaged \(.*\); fetch the file again$"):
        unpack("x", packing, packed[: int(kept * len(packed))])
