"""Sight reasons: why anchors or bases are not found, in sentences that say what, where, and what to do about it.

`explain_sight` is what every command and page tells by; it goes by what the eyes saw and, where that is not enough, by
what else a picture shows (`assistant.features.camera.picture_clues`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assistant.features.camera.marker_sizes import find_least_tag_px, measure_sight
from assistant.features.camera.picture_clues import PictureClues, gather_clues
from assistant.features.camera.picture_quality import BLURRED_PX, DARK, FLICKERS, MUCH_BURNT, SOFT_PX, describe_light
from assistant.table.observations import describe_doubt
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.quality.flicker import MAINS_HZ, Flicker
from vision.stills import FEW_ANCHORS
from vision.types import Hindrance, TableSnapshot

NAMED = 3
"""So many models or markers are named; of more it is said how many."""
BORDER = 1 / 4
"""What is within this share of the table's width or depth of an edge is near it."""
TOGETHER = 1 / 2
"""What spreads over a larger share of the table is not at one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SightReason:
    """One thing that keeps anchors or bases from being found."""

    about: str
    """What it is about, in a word: no two reasons of a picture have the same."""
    fact: str
    """What is so, and where; without a capital and a full stop."""
    advice: str
    """What to do about it."""
    markers: tuple[int, ...] = ()
    """The bases that it keeps from being found, by marker."""

    @property
    def text(self) -> str:
        """Both in one."""
        return f"{self.fact}: {self.advice}"

    @property
    def sentence(self) -> str:
        """The same with its full stop, and a capital unless it begins with a model's name."""
        return f"{self.text if self.markers else self.text[0].upper() + self.text[1:]}."


@dataclass(frozen=True, slots=True, kw_only=True)
class HindranceWords:
    """What people are told of a hindrance."""

    short: str
    """Beside a base on the table."""
    one: str
    """Of one base, after its name."""
    many: str
    advice: str


HINDRANCES: Mapping[Hindrance, HindranceWords] = {
    Hindrance.TOO_DARK: HindranceWords(
        short="too dark",
        one="is too dark to be read",
        many="are too dark to be read",
        advice="give the table more light, or the camera a longer exposure",
    ),
    Hindrance.GLARE: HindranceWords(
        short="glare",
        one="lies in glare",
        many="lie in glare",
        advice="move or shade the lamp that is mirrored there, or print on matt paper",
    ),
    Hindrance.BLURRED: HindranceWords(
        short="blurred",
        one="is blurred",
        many="are blurred",
        advice="focus the camera, and see that nothing shakes it",
    ),
    Hindrance.MOVING_TOO_FAST: HindranceWords(
        short="too fast",
        one="moves too fast to be read",
        many="move too fast to be read",
        advice="move slower, or shorten the exposure and give the table more light",
    ),
    Hindrance.COVERED: HindranceWords(
        short="covered", one="is covered", many="are covered", advice="clear the camera's view of the marker"
    ),
    Hindrance.PRINT_DAMAGED: HindranceWords(
        short="print damaged",
        one="has a damaged print",
        many="have damaged prints",
        advice="flatten or clean the print, or make a new one",
    ),
    Hindrance.OTHER_SIZE: HindranceWords(
        short="other size",
        one="has a marker of another size than the set-up says",
        many="have markers of another size than the set-up says",
        advice="measure the edge of the black square, and enter that as its size_mm",
    ),
    Hindrance.ABOVE_TABLE: HindranceWords(
        short="above the table",
        one="rests higher than anything that the set-up names",
        many="rest higher than anything that the set-up names",
        advice="measure the marker, which may be printed larger than the set-up says, or enter what it stands on",
    ),
    Hindrance.TOO_SMALL: HindranceWords(
        short="too small",
        one="has a marker that is too small in the picture",
        many="have markers that are too small in the picture",
        advice="print larger ones, hang the camera lower, or use one with more pixels",
    ),
    Hindrance.OUT_OF_PICTURE: HindranceWords(
        short="out of the picture",
        one="stands beyond the edge of the picture",
        many="stand beyond the edge of the picture",
        advice="point the camera so that it sees the whole table, or hang it higher",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SightCircumstances:
    """What is known beside a snapshot."""

    table_mm: tuple[float, float]
    """Width and depth of the table."""
    places_mm: Mapping[int, tuple[float, float]]
    """Where the eyes last saw each base, by marker: those that one picture has shown as well."""
    trouble: str = ""
    """Why the camera's place could not be solved, in a sentence."""
    clues: PictureClues | None = None
    """What else the picture shows; None where nobody looked."""


def explain_sight(snapshot: TableSnapshot, markers: Markers, known: SightCircumstances) -> tuple[SightReason, ...]:
    """Return why anchors and bases are not found, what matters most first; nothing where all is well.

    There is always a reason where no base is found.
    """
    snapshot = name_last_unread(snapshot, markers)
    lamps = tuple(explain_flicker(snapshot.flicker))
    if snapshot.camera is None:
        return (explain_no_camera(snapshot.anchors_seen, markers, known.trouble, known.clues), *lamps)
    reasons = [*_explain_doubt(snapshot, markers, known.clues), *_explain_hindered(snapshot, markers, known)]
    reasons += _explain_unread(snapshot, markers)
    is_empty = not snapshot.poses
    if snapshot.doubt is None and (is_empty or snapshot.anchors_seen < FEW_ANCHORS):
        reasons += _explain_few_anchors(snapshot, markers)
    if is_empty and snapshot.doubt is None and not snapshot.hindered:
        reasons.append(_explain_no_bases(snapshot, markers, known))
    if not is_empty and snapshot.doubt is None and (missing := list_missing(snapshot, markers)):
        reasons.append(_explain_missing(missing, markers, known.clues))
    return (*reasons, *lamps)


def needs_clues(snapshot: TableSnapshot) -> bool:
    """Whether what the eyes saw is not enough to tell why they see so little, so that clues are worth their time."""
    is_lost = snapshot.camera is None or (snapshot.doubt is not None and not snapshot.anchors_seen)
    return is_lost or not (snapshot.poses or snapshot.hindered)


def explain_no_camera(seen: int, markers: Markers, trouble: str, clues: PictureClues | None) -> SightReason:
    """Return why it is not known where the camera is.

    Args:
        seen: how many anchors are.
        markers: what is expected.
        trouble: why a solve failed, in one sentence with its advice; may be empty.
        clues: what else the picture shows.

    """
    about = "anchors"
    if not markers.anchors:
        advice = "print some with overtable print anchors, lay them near the corners, and write down where"
        return SightReason(about=about, fact="the set-up names no anchors", advice=advice)
    if not seen:
        fact, advice = explain_blindness([anchor.tag for anchor in markers.anchors], clues)
        return SightReason(about=about, fact=f"no anchor is seen: {fact}", advice=advice)
    counted = _count_anchors(seen, markers)
    if clues is not None and _lie_mirrored(markers, clues):
        return SightReason(
            about=about,
            fact=f"{counted}, and they lie as in a mirror of what the set-up says",
            advice="give x from the left edge and y from the near edge, as the camera's picture shows the table",
        )
    fact, _, advice = trouble.partition(": ")
    return SightReason(
        about=about,
        fact=f"{counted}; {fact or 'the camera is not placed by them yet'}",
        advice=advice or "uncover the others, and check their ids, places and turns in the set-up",
    )


def explain_unsolvable(markers: Markers, grey: NDArray[np.uint8], trouble: str) -> SightReason:
    """Return why the camera's place could not be solved from a single picture."""
    anchors = markers.anchor_tags
    clues = gather_clues(grey, markers.tags, anchors=anchors)
    return explain_no_camera(len(anchors & clues.centres_px.keys()), markers, trouble, clues)


def find_last_places(pipeline: Pipeline) -> dict[int, tuple[float, float]]:
    """Return where the eyes last saw each base, those that one picture has shown as well, by marker, mm."""
    return {marker: (float(track.rest.pose[0]), float(track.rest.pose[1])) for marker, track in pipeline.tracks.items()}


def explain_blindness(expected_tags: Collection[int], clues: PictureClues | None) -> tuple[str, str]:
    """Return why not one expected tag is read, and what to do."""
    expected = _name_tags(expected_tags)
    see_to = f"see that {expected} lie in the picture, flat and uncovered"
    if clues is None:
        return "they are hidden, or the picture is too poor", see_to
    if clues.mirrored:
        return (
            f"the picture is mirrored, and {clues.mirrored} tags are read in its mirror image only",
            "turn mirroring off in the camera's program",
        )
    if clues.families:
        (family, count), *_ = clues.families.items()
        return (
            f"{count} markers of the family {family} are seen, and tag36h11 is needed",
            "print the anchors with overtable print anchors",
        )
    if clues.strangers:
        return (
            f"{_name_strangers(clues.strangers)} seen, which the set-up does not name; it names {expected}",
            "mend the numbers in the set-up, or print the right anchors with overtable print anchors",
        )
    if clues.small_px is not None:
        need_px = find_least_tag_px(clues.blur_px)
        return (
            f"tags are {clues.small_px:.0f} px wide, they need {max(need_px, clues.small_px + 1):.0f}",
            "use larger pictures if the camera has them, hang it lower, or print the anchors larger",
        )
    if clues.centres_px.keys() & set(expected_tags):  # the clues are of another picture than the look
        return "they have only just come into view", "keep the camera still"
    poor = explain_poor_picture(clues)
    if clues.faint:
        told, advice = poor or ("they are smeared, or partly covered", see_to)
        return f"{clues.faint} tags are read, but too poorly to be measured, since {told}", advice
    return poor or ("only other tags are read" if clues.centres_px else "nothing in the picture is a tag", see_to)


def explain_poor_picture(clues: PictureClues) -> tuple[str, str] | None:
    """Return what is wrong with the whole picture and what to do; None where tags could be read in it."""
    if clues.exposure.white < DARK:
        return (
            f"the picture is too dark (mean level {clues.level:.0f} of 255)",
            "give the table more light, or the camera a longer exposure",
        )
    if clues.exposure.burnt > MUCH_BURNT:
        return (
            f"{100 * clues.exposure.burnt:.0f} % of the picture is burnt out",
            "shorten the exposure, or turn away the lamp that the table mirrors",
        )
    if clues.blur_px is not None and clues.blur_px > BLURRED_PX:
        return (
            f"the picture is blurred by about {clues.blur_px:.1f} px",
            "focus the camera, and see that it stands still",
        )
    if clues.blur_px is None:
        return "the picture shows no sharp edges", "focus the camera, and see that its lens is not covered"
    return None


def _lie_mirrored(markers: Markers, clues: PictureClues) -> bool:
    """Whether the anchors go round the table the other way than the set-up says."""
    there = [anchor for anchor in markers.anchors if anchor.tag in clues.centres_px]
    if len(there) < 3:
        return False
    places = np.array([(anchor.x_mm, anchor.y_mm, 1.0) for anchor in there])
    pixels = np.array([clues.centres_px[anchor.tag] for anchor in there])
    slopes, _, rank, _ = np.linalg.lstsq(places, pixels, rcond=None)
    # In a picture y goes down, on the table away: seen from above, the one turns into the other by a mirror.
    return bool(rank == 3 and np.linalg.det(slopes[:2]) > 0)


def _explain_doubt(snapshot: TableSnapshot, markers: Markers, clues: PictureClues | None) -> Iterator[SightReason]:
    if snapshot.doubt is None:
        return
    if not snapshot.anchors_seen:
        fact, advice = explain_blindness([anchor.tag for anchor in markers.anchors], clues)
        advice += ". Until then nothing is judged"
        yield SightReason(about="calibration", fact=f"no anchor is seen: {fact}", advice=advice)
        return
    told, _, advice = describe_doubt(snapshot.doubt.value, snapshot.astray).partition(": ")
    counted = _count_anchors(snapshot.anchors_seen, markers)
    yield SightReason(
        about="calibration", fact=f"{counted}; {told[0].lower()}{told[1:]}", advice=advice.removesuffix(".")
    )


def _explain_few_anchors(snapshot: TableSnapshot, markers: Markers) -> Iterator[SightReason]:
    seen, said = snapshot.anchors_seen, len(markers.anchors)
    if seen < said:
        missed = " and bases may be missed" if list_missing(snapshot, markers) else ""
        yield SightReason(
            about="anchors",
            fact=f"{_count_anchors(seen, markers)}, so that places are less sure{missed}",
            advice="uncover the others, or mend their numbers in the set-up",
        )


def list_missing(snapshot: TableSnapshot, markers: Markers) -> list[int]:
    """Return the bases that nothing is known of, by marker: they were never found, or are not on the table."""
    told = {pose.marker for pose in snapshot.poses} | snapshot.hindered.keys() | set(snapshot.shown_twice)
    return sorted(markers.bases.keys() - told)


def name_last_unread(snapshot: TableSnapshot, markers: Markers) -> TableSnapshot:
    """Return what was seen, where one base is missing and one marker cannot be read: it is that base's."""
    missing, nameless = list_missing(snapshot, markers), [each for each in snapshot.unread if each.marker is None]
    if len(missing) != 1 or len(nameless) != 1:
        return snapshot
    named = replace(nameless[0], marker=missing[0])
    unread = (*(each for each in snapshot.unread if each.marker is not None), named)
    return replace(snapshot, unread=unread, hindered={**snapshot.hindered, missing[0]: named.hindrance})


def _explain_unread(snapshot: TableSnapshot, markers: Markers) -> Iterator[SightReason]:
    """Yield where markers lie that cannot be read, while bases are missing and nobody knows which of them these are."""
    if not list_missing(snapshot, markers):
        return
    groups: dict[Hindrance, list[str]] = {}
    for each in snapshot.unread:
        if each.marker is None:
            x_cm, y_cm = (round(mm / 10) for mm in each.place_mm)
            place = f"{x_cm} cm from the left edge and {y_cm} cm from the near one"
            groups.setdefault(each.hindrance, []).append(place)
    for hindrance, places in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        words, more = HINDRANCES[hindrance], len(places) - 1
        fact = f"a marker {places[0]} cannot be read, since it {words.one}"
        if more:
            fact = f"{more + 1} markers, one of them {places[0]}, cannot be read, since they {words.many}"
        yield SightReason(about=f"unread-{hindrance.value}", fact=fact, advice=words.advice)


def _explain_missing(missing: Sequence[int], markers: Markers, clues: PictureClues | None) -> SightReason:
    """Return why some bases have not been found since the start: what is wrong with the picture, or how they lie."""
    models = [markers.bases[marker].model for marker in missing]
    more = [*models[:NAMED], f"{len(models) - NAMED} more"] if len(models) > NAMED + 1 else models
    none = f"{_join(more)} {'is' if len(models) == 1 else 'are'} not found"
    poor = explain_soft_picture(clues) if clues else None
    if poor:
        return SightReason(about="missing", fact=f"{none}, and {poor[0]}", advice=poor[1], markers=tuple(missing))
    if clues is not None and clues.strangers:
        none += f", but {_name_strangers(clues.strangers)} seen, which the set-up does not name"
    what, its = ("the marker", "its number") if len(models) == 1 else ("the markers", "their numbers")
    return SightReason(
        about="unseen",
        fact=none,
        advice=f"if on the table, lay {what} flat, face up and in view, and check {its} in the set-up",
        markers=tuple(missing),
    )


def explain_soft_picture(clues: PictureClues) -> tuple[str, str] | None:
    """Return what is not good about a picture in which some tags are read, and what to do; None where all is."""
    if clues.blur_px is not None and clues.blur_px > SOFT_PX:
        return f"edges are blurred by about {clues.blur_px:.1f} px", "focus the camera"
    light = describe_light(clues.exposure, tags=bool(clues.centres_px))
    return (light.text, light.advice) if light.advice else None


def explain_flicker(flicker: Flicker | None) -> Iterator[SightReason]:
    """Yield that lamps flicker, where it is more than what disturbs nothing."""
    if flicker is None or flicker.share < FLICKERS:
        return
    mains = f" on {flicker.mains_hz} Hz mains" if flicker.mains_hz else ""
    yield SightReason(
        about="flicker",
        fact=f"lamps{mains} flicker by {100 * flicker.share:.0f} %, in bright and dark bands across the picture",
        advice=f"set the camera's exposure to {_name_shutters(flicker)}",
    )


def _name_shutters(flicker: Flicker) -> str:
    times = [f"1/{part}" for part in flicker.shutters]
    if flicker.mains_hz:
        return f"{' or '.join(times)} s"
    return f"{' or '.join(times[:2])} s, or to {' or '.join(times[2:])} s where the mains has {MAINS_HZ[1]} Hz"


def _explain_no_bases(snapshot: TableSnapshot, markers: Markers, known: SightCircumstances) -> SightReason:
    """Return why no base is found where the camera's place is known."""
    about, clues = "bases", known.clues
    if not markers.bases:
        return SightReason(
            about=about,
            fact="the set-up names no bases",
            advice="enrol the models on the enrol page, or with overtable enrol",
        )
    if once := len(known.places_mm):
        fact = f"{once} bases are seen for the first time" if once > 1 else "one base is seen for the first time"
        return SightReason(about=about, fact=fact, advice="a base counts once two pictures have shown it")
    count = len(markers.bases)
    none = f"none of the {count} bases is seen" if count > 1 else "the only base is not seen"
    assert snapshot.camera is not None
    blur_px = clues.blur_px if clues else None
    if markers.bases.keys() == markers.tagged_bases.keys():
        largest_mm = max(base.size_mm for base in markers.tagged_bases.values())
        edge_px = largest_mm * measure_sight(snapshot.camera, known.table_mm).px_per_mm
        if edge_px < (need_px := find_least_tag_px(blur_px)):
            return SightReason(
                about=about,
                fact=f"{none}: their tags are {edge_px:.0f} px wide, they need {need_px:.0f}",
                advice="print larger ones, hang the camera lower, or use one with more pixels",
            )
    if clues is not None and clues.strangers:
        return SightReason(
            about=about,
            fact=f"{none}, but {_name_strangers(clues.strangers)} seen, which the set-up does not name",
            advice="mend the numbers in the set-up, or enrol these",
        )
    if clues is not None and (poor := explain_poor_picture(clues)):
        return SightReason(about=about, fact=f"{none}: {poor[0]}", advice=poor[1])
    return SightReason(about=about, fact=none, advice="set the models on the table, markers in view")


def _explain_hindered(snapshot: TableSnapshot, markers: Markers, known: SightCircumstances) -> Iterator[SightReason]:
    """Yield one reason for each kind of hindrance, the one that keeps most bases from being found first."""
    groups: dict[Hindrance, list[int]] = {}
    places_mm = dict(known.places_mm)
    places_mm |= {each.marker: each.place_mm for each in snapshot.unread if each.marker is not None}
    for marker, hindrance in sorted(snapshot.hindered.items()):
        if marker in markers.bases:
            groups.setdefault(hindrance, []).append(marker)
    for hindrance, group in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        words = HINDRANCES[hindrance]
        models = [markers.bases[marker].model for marker in group]
        who = _join(models) if len(models) <= NAMED else f"{len(models)} bases"
        places = [places_mm[marker] for marker in group if marker in places_mm]
        where = "" if hindrance is Hindrance.OUT_OF_PICTURE else describe_place(places, known.table_mm)
        yield SightReason(
            about=hindrance.value,
            fact=f"{who} {words.one if len(models) == 1 else words.many}{where}",
            advice=words.advice,
            markers=tuple(group),
        )


def describe_place(places_mm: Collection[tuple[float, float]], table_mm: tuple[float, float]) -> str:
    """Return where on the table some places lie together, as " at the far left corner"; empty where they do not.

    >>> describe_place([(100, 900), (150, 1000)], (1500, 1100))
    ' at the far left corner'
    """
    if not places_mm:
        return ""
    shares = np.array(list(places_mm)) / table_mm
    if np.ptp(shares, axis=0).max() > TOGETHER:
        return ""
    across, along = shares.mean(axis=0)
    side = "left" if across < BORDER else "right" if across > 1 - BORDER else ""
    edge = "near" if along < BORDER else "far" if along > 1 - BORDER else ""
    if side and edge:
        return f" at the {edge} {side} corner"
    return f" at the {side or edge} edge" if side or edge else " in the middle of the table"


def _count_anchors(seen: int, markers: Markers) -> str:
    return f"{seen} of {len(markers.anchors)} anchors {'is' if seen == 1 else 'are'} seen"


def _name_strangers(tags: Collection[int]) -> str:
    return f"{_name_tags(tags)} {'is' if len(tags) == 1 else 'are'}"


def _name_tags(tags: Collection[int]) -> str:
    """Return "tag 3", "the tags 3, 4 and 5", "the tags 3, 4, 5 and 2 more"."""
    named = [str(tag) for tag in tags]
    if len(named) > NAMED + 1:
        named = [*named[:NAMED], f"{len(named) - NAMED} more"]
    return f"{'tag' if len(tags) == 1 else 'the tags'} {_join(named)}"


def _join(names: Collection[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
