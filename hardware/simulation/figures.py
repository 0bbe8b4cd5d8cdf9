"""Figures: what stands on a base, of each kind, built of solids by lot, so that no two are quite the same.

Units across are half the width of a figure's shoulders, and its height is one; +x is its front.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from hardware.simulation.scene import Colour, Figure, FigureKind, Outline
from hardware.simulation.solids import Block, Limb, Paint, Place, Sail, Solid

Lot = np.random.Generator
T = TypeVar("T")

TALL = 1.125
"""Height of a figure, in widths of its base: 36 mm on 32 mm."""

SKINS: tuple[Colour, ...] = ((140, 170, 214), (104, 138, 186), (70, 96, 138), (96, 150, 120))
TRIMS: tuple[Colour, ...] = ((60, 160, 206), (206, 206, 210), (48, 52, 170), (60, 116, 186))
CLOTHS: tuple[Colour, ...] = ((58, 74, 130), (92, 82, 60), (60, 60, 66), (150, 170, 186), (78, 110, 84))
METALS: tuple[Colour, ...] = ((150, 146, 140), (92, 128, 150), (104, 98, 92))


def fit_figure(kind: FigureKind, outline_mm: Outline, *, seed: int, colour: Colour) -> Figure:
    """Return a figure of the size that stands on a base of this outline; a vehicle fills it."""
    long_mm, wide_mm = (float(extent) for extent in np.ptp(np.array(outline_mm), axis=0))
    least_mm = min(long_mm, wide_mm)
    radius_mm, length_mm, height_mm = 0.27 * least_mm, None, TALL * least_mm
    if kind is FigureKind.VEHICLE:
        radius_mm, length_mm, height_mm = wide_mm / 2, long_mm, 0.5 * wide_mm
    elif kind is FigureKind.RANKS:
        radius_mm, length_mm, height_mm = wide_mm / 2, long_mm, 0.25 * least_mm + 4.0
    elif kind is FigureKind.CAVALRY:
        length_mm = long_mm
    elif kind in {FigureKind.WALKER, FigureKind.MONSTER}:
        length_mm, height_mm = 0.27 * (long_mm + wide_mm) * 2, 0.85 * least_mm
    return Figure(radius_mm=radius_mm, length_mm=length_mm, height_mm=height_mm, kind=kind, seed=seed, colour=colour)


@functools.lru_cache(maxsize=4096)
def mix_paints(figure: Figure) -> Mapping[Paint, Colour]:
    """Return the colours of a figure: its own, and those that go with it."""
    lot = np.random.default_rng([figure.seed, 0])
    return {
        Paint.COAT: figure.colour,
        Paint.TRIM: TRIMS[figure.seed % len(TRIMS)],
        Paint.CLOTH: _pick(lot, CLOTHS),
        Paint.SKIN: _pick(lot, SKINS),
        Paint.METAL: _pick(lot, METALS),
        Paint.LEATHER: (52, 80, 118),
        Paint.BONE: (150, 190, 206),
        Paint.DARK: (58, 54, 52),
    }


@functools.lru_cache(maxsize=4096)
def build_solids(kind: FigureKind, seed: int) -> tuple[Solid, ...]:
    """Return the solids of the figure of a kind that a seed makes."""
    return tuple(_BUILDERS[kind](np.random.default_rng([seed, 1])))


def _build_infantry(lot: Lot) -> list[Solid]:
    stride = lot.uniform(-0.35, 0.35)
    solids: list[Solid] = [
        *_build_legs(stride),
        Limb((0.0, 0.0, 0.44), (0.05, 0.0, 0.70), (0.42, 0.60), Paint.COAT),
        *_build_shoulders(lot),
        _build_head(lot),
        *_pick(lot, (_carry_rifle, _carry_sword, _carry_spear, _carry_axe))(lot),
    ]
    if lot.random() < 0.5:
        solids.append(Limb((-0.55, -0.28, 0.68), (-0.55, 0.28, 0.68), (0.36, 0.36), Paint.METAL))
    if lot.random() < 0.4:
        solids.append(_drape_cape(lot, reach=1.15))
    return solids


def _build_robed(lot: Lot) -> list[Solid]:
    return [
        Limb((0.0, 0.0, 0.05), (0.0, 0.0, 0.60), (0.62, 0.46), Paint.COAT),
        Limb((0.0, -0.55, 0.70), (0.0, 0.55, 0.70), (0.36, 0.36), Paint.COAT),
        Limb((0.12, 0.0, 0.40), (0.05, 0.0, 0.72), (0.34, 0.38), Paint.TRIM),
        Limb((0.05, -0.60, 0.68), (0.52, -0.50, 0.56), (0.22, 0.20), Paint.CLOTH),
        Limb((0.05, 0.60, 0.68), (0.42, 0.62, 0.54), (0.22, 0.20), Paint.CLOTH),
        Limb((0.60, -0.60, 0.05), (0.62, -0.60, 1.00 + lot.uniform(0.0, 0.1)), (0.07, 0.10), Paint.LEATHER),
        _build_head(lot),
    ]


def _build_winged(lot: Lot) -> list[Solid]:
    spread, back = lot.uniform(1.8, 2.4), lot.uniform(0.5, 1.0)
    wings = (
        Sail(
            (
                (-0.35, 0.25 * side, 0.78),
                (-back * 0.4, 0.6 * spread * side, 1.02),
                (-back, spread * side, 0.90),
                (-back - 0.55, 0.72 * spread * side, 0.66),
                (-back - 0.35, 0.35 * side, 0.52),
            ),
            Paint.TRIM,
        )
        for side in (-1, 1)
    )
    return [
        *_build_legs(lot.uniform(-0.2, 0.2)),
        Limb((0.0, 0.0, 0.44), (0.05, 0.0, 0.70), (0.42, 0.56), Paint.COAT),
        *_build_shoulders(lot),
        _build_head(lot),
        *_pick(lot, (_carry_spear, _carry_sword))(lot),
        *wings,
    ]


def _build_cavalry(lot: Lot) -> list[Solid]:
    hide = _pick(lot, (Paint.LEATHER, Paint.DARK, Paint.BONE))
    turn = lot.uniform(-0.25, 0.25)
    legs = (
        Limb((x, 0.42 * side, 0.36), (x + lot.uniform(-0.2, 0.2), 0.45 * side, 0.02), (0.24, 0.15), hide)
        for x in (-0.95, 0.85)
        for side in (-1, 1)
    )
    return [
        *legs,
        Limb((-0.95, 0.0, 0.42), (0.75, 0.0, 0.44), (0.60, 0.52), hide),
        Limb((0.85, 0.0, 0.46), (1.35, turn, 0.68), (0.42, 0.28), hide),
        Limb((1.35, turn, 0.70), (1.80, 1.4 * turn, 0.60), (0.25, 0.16), hide),
        Limb((-1.25, 0.0, 0.44), (-1.75, -turn, 0.20), (0.18, 0.10), Paint.CLOTH),
        Sail(((-0.95, -0.62, 0.44), (-0.95, 0.62, 0.44), (-0.25, 0.55, 0.56), (-0.25, -0.55, 0.56)), Paint.COAT),
        Limb((-0.10, -0.62, 0.50), (0.20, -0.66, 0.24), (0.22, 0.17), Paint.CLOTH),
        Limb((-0.10, 0.62, 0.50), (0.20, 0.66, 0.24), (0.22, 0.17), Paint.CLOTH),
        Limb((-0.10, 0.0, 0.56), (-0.05, 0.0, 0.78), (0.36, 0.48), Paint.COAT),
        Limb((-0.05, -0.55, 0.82), (-0.05, 0.55, 0.82), (0.26, 0.26), Paint.COAT),
        Limb((0.0, 0.0, 0.92), (0.03, 0.0, 0.97), (0.27, 0.25), _pick(lot, (Paint.METAL, Paint.SKIN))),
        Limb((-0.05, -0.60, 0.78), (0.40, -0.75, 0.64), (0.18, 0.15), Paint.CLOTH),
        Limb((-0.60, -0.80, 0.60), (2.30, -0.72, 0.72), (0.07, 0.06), Paint.LEATHER),
        Limb((0.10, 0.70, 0.60), (0.14, 0.78, 0.78), (0.44, 0.40), Paint.TRIM),
    ]


def _build_walker(lot: Lot) -> list[Solid]:
    stride = lot.uniform(0.15, 0.5)
    legs: list[Solid] = []
    for side in (-1, 1):
        forward = stride * side
        knee, foot = (0.35 + forward, 0.95 * side, 0.34), (forward, 1.05 * side, 0.03)
        legs += [
            Limb((-0.25, 0.60 * side, 0.56), knee, (0.30, 0.24), Paint.METAL),
            Limb(knee, foot, (0.24, 0.24), Paint.METAL),
            Limb((forward - 0.35, 1.05 * side, 0.03), (forward + 0.55, 1.05 * side, 0.03), (0.28, 0.24), Paint.DARK),
        ]
    hull = Block(((-0.95, -0.72), (0.85, -0.62), (0.85, 0.62), (-0.95, 0.72)), 0.52, 0.86, 0.80, Paint.COAT)
    return [
        *legs,
        hull,
        Limb((0.70, 0.0, 0.70), (0.98, 0.0, 0.66), (0.40, 0.30), Paint.TRIM),
        Limb((-0.2, 0.95, 0.70), (0.2, 0.98, 0.70), (0.34, 0.34), Paint.COAT),
        Limb((-0.2, -0.95, 0.70), (0.2, -0.98, 0.70), (0.34, 0.34), Paint.COAT),
        Limb((0.2, 1.02, 0.66), (1.75, 1.02, 0.60), (0.15, 0.12), Paint.DARK),
        Limb((0.2, -1.02, 0.66), (1.25, -1.02, 0.60), (0.24, 0.30), Paint.METAL),
        Limb((-0.75, -0.35, 0.84), (-0.80, -0.35, 1.0), (0.15, 0.13), Paint.DARK),
        Limb((-0.75, 0.35, 0.84), (-0.80, 0.35, 1.0), (0.15, 0.13), Paint.DARK),
    ]


def _build_monster(lot: Lot) -> list[Solid]:
    sway = lot.uniform(-0.5, 0.5)
    limbs: list[Solid] = []
    for side in (-1, 1):
        limbs += [
            Limb((-0.45, 0.50 * side, 0.40), (-0.25, 0.85 * side, 0.04), (0.40, 0.28), Paint.COAT),
            Limb((0.45, 0.60 * side, 0.58), (0.85, 1.05 * side, 0.46), (0.32, 0.24), Paint.COAT),
            Limb((0.85, 1.05 * side, 0.46), (1.35, 0.80 * side, 0.30), (0.24, 0.18), Paint.SKIN),
            Limb((1.35, 0.80 * side, 0.30), (1.62, 0.62 * side, 0.22), (0.12, 0.03), Paint.BONE),
            Limb((1.35, 0.86 * side, 0.30), (1.65, 0.90 * side, 0.22), (0.12, 0.03), Paint.BONE),
            Limb((0.95, 0.16 * side, 0.92), (0.70, 0.46 * side, 1.02), (0.12, 0.03), Paint.BONE),
        ]
    spines = (Limb((x, 0.0, 0.72), (x - 0.22, 0.0, 0.86), (0.14, 0.03), Paint.BONE) for x in (-0.6, -0.25, 0.1))
    return [
        *limbs,
        *spines,
        Limb((-0.60, 0.0, 0.42), (0.40, 0.0, 0.60), (0.66, 0.74), Paint.COAT),
        Limb((-0.65, 0.0, 0.40), (-1.35, 0.6 * sway, 0.22), (0.46, 0.26), Paint.COAT),
        Limb((-1.35, 0.6 * sway, 0.22), (-1.95, 1.6 * sway, 0.12), (0.26, 0.06), Paint.SKIN),
        Limb((0.55, 0.0, 0.72), (0.95, 0.0, 0.84), (0.42, 0.36), Paint.SKIN),
        Limb((1.0, 0.0, 0.84), (1.45, 0.0, 0.76), (0.32, 0.20), Paint.SKIN),
    ]


def _build_vehicle(_lot: Lot) -> list[Solid]:
    tracks = (
        Block(((-2.0, y - 0.2), (2.0, y - 0.2), (2.0, y + 0.2), (-2.0, y + 0.2)), 0.0, 0.50, 0.94, Paint.DARK)
        for y in (-0.78, 0.78)
    )
    return [
        *tracks,
        Block(((-1.92, -0.62), (1.90, -0.62), (1.90, 0.62), (-1.92, 0.62)), 0.10, 0.58, 0.92, Paint.COAT),
        Block(((-1.75, -0.86), (-0.2, -0.86), (-0.2, -0.66), (-1.75, -0.66)), 0.45, 0.62, 0.9, Paint.TRIM),
        Block(((-1.75, 0.66), (-0.2, 0.66), (-0.2, 0.86), (-1.75, 0.86)), 0.45, 0.62, 0.9, Paint.TRIM),
        Limb((-1.70, -0.36, 0.60), (-1.25, -0.36, 0.62), (0.13, 0.13), Paint.DARK),
        Limb((-1.70, 0.36, 0.60), (-1.25, 0.36, 0.62), (0.13, 0.13), Paint.DARK),
        Limb((1.30, 0.30, 0.60), (1.30, 0.30, 0.62), (0.18, 0.18), Paint.METAL),
        Limb((0.85, 0.0, 0.80), (2.0, 0.0, 0.80), (0.13, 0.09), Paint.METAL),
        Block(
            ((-0.75, -0.60), (0.62, -0.60), (0.80, -0.3), (0.80, 0.3), (0.62, 0.60), (-0.75, 0.60)),
            0.58,
            1.0,
            0.94,
            Paint.COAT,
        ),
    ]


def _build_ranks(lot: Lot) -> list[Solid]:
    solids: list[Solid] = []
    for x in (-1.0, 1.0):
        for y in (-0.82, -0.62, 0.62, 0.82):
            ahead, aside = x + lot.uniform(-0.1, 0.1), y + lot.uniform(-0.02, 0.02)
            solids += [
                Limb((ahead, aside, 0.10), (ahead, aside, 0.62), (0.09, 0.10), Paint.COAT),
                Limb((ahead, aside, 0.84), (ahead, aside, 0.88), (0.065, 0.06), Paint.METAL),
                Limb((ahead + 0.3, aside - 0.09, 0.2), (ahead + 0.5, aside - 0.09, 1.2), (0.02, 0.015), Paint.LEATHER),
            ]
    return solids


def _pick(lot: Lot, choices: Sequence[T]) -> T:
    return choices[int(lot.integers(len(choices)))]


def _build_legs(stride: float) -> tuple[Solid, ...]:
    return tuple(
        Limb((stride * side, 0.42 * side, 0.05), (0.0, 0.24 * side, 0.42), (0.30, 0.30), Paint.CLOTH)
        for side in (-1, 1)
    )


def _build_shoulders(lot: Lot) -> tuple[Solid, ...]:
    pads = _pick(lot, (Paint.COAT, Paint.TRIM))
    return (
        Limb((0.0, -0.50, 0.74), (0.0, 0.50, 0.74), (0.36, 0.36), Paint.COAT),
        *(Limb((0.0, 0.66 * side, 0.76), (0.0, 0.72 * side, 0.75), (0.36, 0.34), pads) for side in (-1, 1)),
    )


def _build_head(lot: Lot) -> Solid:
    turn = lot.uniform(-0.10, 0.10)
    return Limb((0.05, 0.0, 0.90), (0.12, turn, 0.94), (0.30, 0.27), _pick(lot, (Paint.METAL, Paint.SKIN, Paint.TRIM)))


def _build_arm(side: int, hand: Place) -> Limb:
    return Limb((0.05, 0.72 * side, 0.72), hand, (0.24, 0.18), Paint.CLOTH)


def _carry_rifle(lot: Lot) -> list[Solid]:
    muzzle = lot.uniform(-0.5, 0.6)
    return [
        _build_arm(-1, (0.62, -0.50, 0.58)),
        _build_arm(1, (0.95, 0.35, 0.60)),
        Limb((0.25, -0.75, 0.58), (2.0, muzzle + 0.35, 0.62), (0.15, 0.10), Paint.DARK),
    ]


def _carry_sword(lot: Lot) -> list[Solid]:
    bearing = lot.uniform(-1.3, 0.2)
    hand = (0.70, -0.95, 0.62)
    tip = hand[0] + 1.25 * math.cos(bearing), hand[1] + 1.25 * math.sin(bearing), 0.80
    return [
        _build_arm(-1, hand),
        _build_arm(1, (0.60, 0.80, 0.58)),
        Limb(hand, tip, (0.12, 0.05), Paint.METAL),
        Limb((0.74, 0.82, 0.48), (0.78, 0.86, 0.66), (0.46, 0.46), Paint.TRIM),
    ]


def _carry_spear(lot: Lot) -> list[Solid]:
    lean = lot.uniform(0.0, 1.2)
    return [
        _build_arm(-1, (0.60, -0.90, 0.62)),
        _build_arm(1, (0.45, 0.85, 0.56)),
        Limb((0.50 - lean, -0.95, 0.15), (0.75 + lean, -0.90, 1.12), (0.08, 0.07), Paint.LEATHER),
        Limb((0.75 + lean, -0.90, 1.12), (0.80 + 1.12 * lean, -0.90, 1.22), (0.11, 0.02), Paint.METAL),
    ]


def _carry_axe(lot: Lot) -> list[Solid]:
    raised = lot.uniform(0.70, 0.95)
    return [
        _build_arm(-1, (0.70, -0.70, 0.66)),
        _build_arm(1, (0.85, 0.50, 0.64)),
        Limb((0.55, -1.10, 0.55), (1.05, 1.25, raised), (0.08, 0.08), Paint.LEATHER),
        Sail(((0.95, 0.75, raised), (1.55, 0.85, raised), (1.55, 1.35, raised), (1.05, 1.30, raised)), Paint.METAL),
    ]


def _drape_cape(lot: Lot, *, reach: float) -> Solid:
    sway = lot.uniform(-0.25, 0.25)
    return Sail(
        (
            (-0.30, -0.55, 0.80),
            (-0.30, 0.55, 0.80),
            (-reach * 0.8, 0.80 + sway, 0.35),
            (-reach - 0.1, 0.55 + sway, 0.10),
            (-reach - 0.1, -0.55 + sway, 0.10),
            (-reach * 0.8, -0.80 + sway, 0.35),
        ),
        Paint.TRIM,
    )


_BUILDERS: Mapping[FigureKind, Callable[[Lot], list[Solid]]] = {
    FigureKind.INFANTRY: _build_infantry,
    FigureKind.ROBED: _build_robed,
    FigureKind.WINGED: _build_winged,
    FigureKind.CAVALRY: _build_cavalry,
    FigureKind.WALKER: _build_walker,
    FigureKind.MONSTER: _build_monster,
    FigureKind.VEHICLE: _build_vehicle,
    FigureKind.RANKS: _build_ranks,
}
