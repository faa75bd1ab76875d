"""The colours of a picture: for light paper and for a dark screen."""

from __future__ import annotations

from dataclasses import dataclass

from hypercone.errors import InputError

# Twelve hues in an order in which neighbours, and the first few above all, differ in brightness too; the first eight
# lean on the colours of Okabe and Ito, which people with any kind of colour vision tell apart.
ON_LIGHT = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc5f9c",
    "#c98a00",
    "#3a9bd9",
    "#7a4fb5",
    "#7a8b1f",
    "#a8322d",
    "#1c8c99",
    "#8c6239",
    "#b04bc4",
)
ON_DARK = (
    "#4ba3e3",
    "#ff8a4c",
    "#2fc79a",
    "#f08cc0",
    "#f0c04a",
    "#8fd3ff",
    "#b39bf0",
    "#b9d05a",
    "#ff7d76",
    "#5fd6de",
    "#d9a877",
    "#e58ae8",
)


@dataclass(frozen=True)
class Theme:
    """The ground, the disk on it, its rim, what is written, and the colours of branches and of depths."""

    ground: str
    disk: str
    rim: str
    ink: str
    faint: str
    branches: tuple[str, ...]
    # From the roots to the deepest, along viridis; the end that would vanish on the ground is left out.
    depths: tuple[str, ...]


LIGHT = Theme(
    ground="#ffffff",
    disk="#fbfbf9",
    rim="#8b97a3",
    ink="#1f2933",
    faint="#66727f",
    branches=ON_LIGHT,
    depths=("#440154", "#443983", "#31688e", "#21918c", "#35b779", "#7ac943", "#a9c92b"),
)
DARK = Theme(
    ground="#0f1420",
    disk="#141b2b",
    rim="#4a5a74",
    ink="#eef2f7",
    faint="#9aa8bc",
    branches=ON_DARK,
    depths=("#fde725", "#a0da39", "#4ac16d", "#2fb09a", "#3c9fb0", "#5f93c8", "#8a90d6"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def find_theme(name: str) -> Theme:
    """The theme of that name.

    >>> find_theme("dark").ground
    '#0f1420'
    """
    if name not in THEMES:
        raise InputError(f"there is no theme {name!r}; use {' or '.join(THEMES)}")
    return THEMES[name]
