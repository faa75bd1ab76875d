"""Frames of pixels as a moving picture: an animated GIF through Pillow, an MP4 through ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hypercone._files import new_file
from hypercone.errors import HyperconeError
from hypercone.figures.canvas import extra_module

# One frame (height, width, 3), red, green and blue.
Frame = NDArray[np.uint8]
LAST_FRAME_SECONDS = 3.0


def write_gif(path: Path, frames: Sequence[Frame], frame_rate: float) -> Path:
    """An animated GIF that repeats for ever and rests on its last frame."""
    image = extra_module("PIL.Image")
    # One palette for all frames, from a few of them and the last: palettes of their own would flicker.
    sample = [*frames[:: max(1, len(frames) // 6)], frames[-1]]
    palette = image.fromarray(np.concatenate(sample)).quantize(256)
    pictures = [image.fromarray(frame).quantize(palette=palette, dither=0) for frame in frames]
    waits = [round(1000 / frame_rate)] * (len(frames) - 1) + [round(1000 * LAST_FRAME_SECONDS)]
    with new_file(path) as temporary:
        first, *rest = pictures
        first.save(temporary, format="GIF", save_all=True, append_images=rest, duration=waits, loop=0, optimize=False)
    return path


def write_mp4(path: Path, frames: Sequence[Frame], frame_rate: float) -> Path:
    """An MP4 that every browser plays, and that rests on its last frame."""
    program = find_ffmpeg(path)
    held = [*frames, *[frames[-1]] * round(LAST_FRAME_SECONDS * frame_rate)]
    height, width = frames[0].shape[:2]
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{frame_rate}", "-i", "-"]
    # Half the colour resolution is what players understand, and it needs even sides.
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    with new_file(path) as temporary:
        command = [program, "-y", "-loglevel", "error", *source, *even, "-f", "mp4", str(temporary)]
        done = subprocess.run(
            command, input=b"".join(frame.tobytes() for frame in held), capture_output=True, check=False
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise HyperconeError(f"{path}: ffmpeg could not write it ({said[-1]}); try a .gif or .html film")
    return path


def find_ffmpeg(path: Path) -> str:
    """Where ffmpeg is; without it, one sentence with two ways out."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise HyperconeError(
            f"{path.name}: an MP4 needs ffmpeg, which is not found; install it, or end the name in .gif or .html"
        )
    return program
