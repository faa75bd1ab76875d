"""Moving pictures: every frame is there, and what is missing is said in a sentence."""

import numpy as np
import pytest
from PIL import Image

from hypercone.errors import HyperconeError
from hypercone.reproduce.film import write_gif, write_mp4


def frames(count):
    return [np.full((20, 31, 3), 40 * number, np.uint8) for number in range(count)]


def test_a_gif_has_its_frames_repeats_and_rests_on_the_last(tmp_path):
    with Image.open(write_gif(tmp_path / "a.gif", frames(4), 10)) as film:
        assert (film.n_frames, film.size, film.info["loop"]) == (4, (31, 20), 0)
        assert film.info["duration"] == 100
        film.seek(3)
        assert film.info["duration"] == 3000


def test_without_ffmpeg_an_mp4_is_refused_with_two_ways_out(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HyperconeError, match=r"^a.mp4: an MP4 needs ffmpeg, which is not found; install it, or"):
        write_mp4(tmp_path / "a.mp4", frames(2), 10)


def test_an_ffmpeg_that_fails_is_quoted_and_leaves_nothing_behind(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'no such encoder' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    with pytest.raises(
        HyperconeError, match=r"ffmpeg could not write it \(no such encoder\); try a .gif or .html film$"
    ):
        write_mp4(tmp_path / "a.mp4", frames(2), 10)
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]
