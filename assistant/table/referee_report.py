"""The referee's report: everything that the pages show of the table as it stands, but for the zone worked out later."""

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Self

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, ModelTrack
from assistant.overlay.composition import compose_overlay, draw_band, draw_halo, draw_zone
from assistant.overlay.shapes import Layer, OverlayShape
from assistant.rules.books import find_rulebook
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import ActionOption, FieldOption, Referee
from assistant.rules.rulebook import Rulebook
from assistant.rules.sequence import find_models_moved_again
from assistant.rules.validation import remove_absent_units
from assistant.rules.verdict import Finding, Verdict, apply_rulings
from assistant.table.declared_move import (
    MoveJudgement,
    Pick,
    describe_missing_dice,
    judge_now,
    list_choices,
    place_at_start,
)
from assistant.table.zone_query import (
    MOST_BANDS,
    BandRequest,
    ImmediateZoneSolver,
    ZoneRequest,
    ZoneSolver,
    build_zone_request,
    list_bands,
    skip_zone,
)

NEAR_MOVES = 2.0
"""Enemies are near a unit that it might get to with so many moves."""
NEAR_MM = 100.0
"""And a hand's breadth, for the size of bases."""
KNOWN_STATES = 4
"""So many states of a game are known: what is taken back comes back."""
RESTORING = "The table is being put back: nothing is judged until that is done."


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeReport:
    """What the referee says of the table as it stands."""

    verdict: Verdict | None
    options: tuple[ActionOption, ...]
    note: str
    """What is missing before more can be said, in one sentence; empty if nothing is."""
    shapes: tuple[OverlayShape, ...]
    zone: MovementZone | None = None
    """Where the picked model may end, once that is known."""
    tests: int = 0
    """How many dice the move's own tests take; they may be given, or rolled elsewhere."""
    costs: int = 0
    """How many models of the unit the failed tests destroy."""
    allowed_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The labels of the actions that each unit may still choose, by unit id; empty while nobody counts turns."""
    fields: tuple[FieldOption, ...] = ()
    """What the announced move may say that it means to do."""
    ways: tuple[Finding, ...] = ()
    """How long the way of each model that has moved is, against what it is allowed: the judge's own findings."""
    zone_request: ZoneRequest | None = None
    """The question whose answer is the zone to draw; None if there is none to draw."""
    band_requests: tuple[BandRequest, ...] = ()
    """The questions whose answers are drawn around it."""
    bands: tuple[MovementZone | None, ...] = ()
    """What is known of them."""
    basis: "_Basis | None" = None
    """What was asked of the state alone, whatever is picked."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Basis:
    state: GameState
    referee: Referee
    judged: MoveJudgement
    trouble: str

    @cached_property
    def shown(self) -> GameState:
        """What stands on the table."""
        return _build_shown_state(self.referee, self.state.declared)

    @cached_property
    def fields(self) -> tuple[FieldOption, ...]:
        """The fields of the announced move."""
        declared = self.state.declared
        return _list_fields(self.referee, declared) if declared else ()

    @cached_property
    def allowed_labels(self) -> Mapping[str, tuple[str, ...]]:
        """The labels of the actions that each unit may still choose."""
        units = self.state.units if self.state.turn else ()
        return {unit.id: _list_allowed_labels(self.referee, unit.id) for unit in units if unit.models}


def replace_zones(
    report: RefereeReport, zone: MovementZone | None, bands: tuple[MovementZone | None, ...]
) -> RefereeReport:
    """Return an answer with other zones, which are often worked out after all the rest."""
    others = tuple(shape for shape in report.shapes if shape.layer is not Layer.ZONE)
    drawn = draw_zone(zone) if zone else ()
    around = (
        shape
        for number, (asked, band) in enumerate(zip(report.band_requests, bands, strict=True))
        if band is not None
        for shape in draw_band(number, band, asked.label)
    )
    return replace(report, zone=zone, bands=bands, shapes=(*around, *drawn, *others))


def compile_report(
    state: GameState,
    pick: Pick | None,
    before: RefereeReport | None = None,
    known: Sequence["_Basis"] = (),
    *,
    zones: bool = True,
) -> RefereeReport:
    """Ask the rulebook everything that the pages show besides the zone, holding the game to it once.

    What was checked for the zone of a report before, and has stayed the same, is not checked again; nor is what was
    asked of the very same state.  Which zones are to be drawn is asked with ``zones``.
    """
    if state.restoring is not None:
        return RefereeReport(verdict=None, options=(), note=RESTORING, shapes=())
    if state.rulebook == NO_RULEBOOK:
        shapes = compose_overlay(state=state.apply_tracks(), tracks=state.tracks, verdict=None, unit=None)
        return RefereeReport(verdict=None, options=(), note="", shapes=shapes)
    book, declared = find_rulebook(state.rulebook), state.declared
    try:
        basis = _find_basis(state, known) or _judge_state(state, before.basis if before else None)
        shown, fields, allowed_labels = basis.shown, basis.fields, basis.allowed_labels
    except BadInput as error:
        if pick is not None or declared is not None or state.turn is not None:
            raise
        return _report_trouble(book, state, str(error))
    referee, judged = basis.referee, basis.judged
    request = build_zone_request(referee, pick) if zones else None
    options = list_choices(referee, pick.unit) if pick else ()
    ways = tuple(way for way in judged.ways if declared is None or way.subjects[0] not in declared.lost)
    standing = referee.follow(shown) if pick else None
    shapes = compose_overlay(
        state=shown,
        tracks=_select_tracks_on_table(book, state, shown),
        verdict=judged.verdict,
        unit=pick.unit if pick else None,
        referee=standing,
        outcome=None if judged.verdict is None or declared is None else apply_rulings(judged.verdict, state.rulings),
        mover=[model.id for model in state.find_unit(declared.unit).models] if declared else (),
        near_mm=_find_near_mm(options, referee),
        named={name: option.label for option in fields if option.names for name in option.chosen},
        ways=ways,
    )
    halo = draw_halo(standing, pick.unit, pick.model) if standing and pick else ()
    notes = (describe_missing_dice(state), judged.note, _describe_strangers(book, state), basis.trouble)
    return RefereeReport(
        verdict=judged.verdict,
        options=options,
        note=" ".join(note for note in notes if note),
        shapes=(*halo, *shapes),
        tests=judged.tests,
        costs=judged.costs,
        allowed_labels=allowed_labels,
        fields=fields,
        ways=ways,
        zone_request=request,
        band_requests=list_bands(referee, pick, request) if pick else (),
        basis=basis,
    )


def _find_basis(state: GameState, known: Iterable[_Basis]) -> _Basis | None:
    return next((each for each in known if each.state is state), None)


def _judge_state(state: GameState, before: _Basis | None) -> _Basis:
    """Return what is asked of a state whatever is picked; BadInput where it does not fit the rulebook."""
    referee = Referee(state, before=before.referee if before else None)
    judged, trouble = judge_now(referee)
    return _Basis(state=state, referee=referee, judged=judged, trouble=trouble)


def _find_near_mm(options: Sequence[ActionOption], referee: Referee) -> float:
    """Return how far off an enemy may stand whose engagement range may matter to a unit's move."""
    limits_mm = [option.limit_mm for option in options if option.limit_mm is not None]
    return NEAR_MOVES * max(limits_mm, default=math.inf) + referee.find_engagement_mm() + NEAR_MM


def _report_trouble(book: Rulebook, state: GameState, trouble: str) -> RefereeReport:
    """Return what is shown of a game that does not fit its rulebook, of which nothing can be asked."""
    shown = remove_absent_units(book, state.apply_tracks())
    tracks = _select_tracks_on_table(book, state, shown)
    notes = (_describe_strangers(book, state), trouble)
    return RefereeReport(
        verdict=None,
        options=(),
        note=" ".join(note for note in notes if note),
        shapes=compose_overlay(state=shown, tracks=tracks, verdict=None, unit=None),
    )


def _select_tracks_on_table(book: Rulebook, state: GameState, shown: GameState) -> dict[str, ModelTrack]:
    """Return how models came to where they are shown; what is put on the table has come no way on it."""
    return {m: track for m, track in shown.tracks.items() if not book.absent(state.find_unit_of(m))}


def _list_fields(referee: Referee, declared: Declaration) -> tuple[FieldOption, ...]:
    """Return the fields of the announced move, to be chosen from where its unit started."""
    start = referee.follow(place_at_start(referee.state, declared.unit))
    return start.list_fields(declared.unit, declared.action, intent=declared.intent)


def _list_allowed_labels(referee: Referee, unit: str) -> tuple[str, ...]:
    return tuple(option.label for option in list_choices(referee, unit) if option.allowed)


def _describe_strangers(book: Rulebook, state: GameState) -> str:
    """Return what there is to say of models which moved but do not belong to the declared unit."""
    again = find_models_moved_again(book, state)
    sentences = [f"{_join_with_verb(again)} moved again after acting this turn ({book.acts_once})."] if again else []
    if state.declared is not None:
        members = {model.id for model in state.find_unit(state.declared.unit).models}
        moved = [model for model in state.tracks if model not in members and model not in again]
        sentences += (
            [f"{_join_with_verb(moved)} moved too, which is not part of this move and is not judged."] if moved else []
        )
    return " ".join(sentences)


def _join_with_verb(models: Sequence[str]) -> str:
    return f"{', '.join(models)} {'has' if len(models) == 1 else 'have'}"


def _build_shown_state(referee: Referee, declared: Declaration | None) -> GameState:
    """Return what stands on the table: a unit that is being set up as if it had been, others only if they are there."""
    book, now = referee.book, referee.state.apply_tracks()
    if declared is not None:
        action = book.find_action(declared.action)
        if action.sets_up and book.absent(now.find_unit(declared.unit)):
            context = referee.follow(now).build_context(declared.unit, rolls=declared.rolls, intent=declared.intent)
            with suppress(BadInput):  # which the note says
                now = now.set_statuses({declared.unit: action.status(context)})
        now = now.remove_models(declared.lost)
    return remove_absent_units(book, now)


class RefereeDesk:
    """Keeps the last report of one session, and sees to the zone that it asks for."""

    def __init__(self, solve_zone: ZoneSolver | None = None) -> None:
        """Begin with nothing asked; without a solver zones are worked out at once."""
        self._solve_zone = solve_zone or ImmediateZoneSolver()
        self._latest = dict[str, tuple[GameState, Pick | None, RefereeReport]]()
        """By the device that it was for."""
        self._known = deque[_Basis](maxlen=KNOWN_STATES)
        """What was asked of the last states, whatever was picked."""

    def report(self, state: GameState, pick: Pick | None, device: str = "") -> RefereeReport:
        """Return what the referee says; worked out anew only when the state, the pick or the zone has changed.

        Args:
            state: the game.
            pick: what is looked at.
            device: who looks; what is asked of the state alone is asked once for all of them.

        """
        latest = self._latest.get(device)
        if latest is None or latest[0] is not state or latest[1] != pick:
            before, zones = latest[2] if latest else None, self._solve_zone is not skip_zone
            report = compile_report(state, pick, before, self._known, zones=zones)
            latest = self._latest[device] = (state, pick, report)
            if report.basis is not None and report.basis not in self._known:
                self._known.append(report.basis)
        asked = latest[2]
        zone = self._solve(asked.zone_request, "zone", device) if asked.zone_request else None
        bands = tuple(self._solve(band.zone, n, device) for n, band in enumerate(asked.band_requests))
        if asked.zone is not zone or any(a is not b for a, b in zip_longest(asked.bands, bands)):
            latest = self._latest[device] = (state, pick, replace_zones(asked, zone, bands))
        return latest[2]

    def judge(self, state: GameState) -> MoveJudgement:
        """Return the judgement of a state alone, which a report of it need not make again; BadInput as `report`."""
        basis = _find_basis(state, self._known)
        if basis is None:
            basis = _judge_state(state, self._known[-1] if self._known else None)
            self._known.append(basis)
        return basis.judged

    def keep_only(self, devices: Collection[str]) -> None:
        """Forget what was for other devices, and their zones."""
        for device in self._latest.keys() - {"", *devices}:
            del self._latest[device]
            for part in ("zone", *range(MOST_BANDS)):
                self._solve_zone.forget((part, device))

    def _solve(self, request: ZoneRequest, part: str | int, device: str) -> MovementZone | None:
        return self._solve_zone(request, "" if (part, device) == ("zone", "") else (part, device))

    def fork(self, solve_zone: ZoneSolver | None) -> Self:
        """Return a desk with the same report, which goes on by itself with another solver."""
        desk = type(self)(solve_zone)
        desk._latest = {"": self._latest[""]} if "" in self._latest else {}
        return desk
