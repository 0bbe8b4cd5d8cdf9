"""Camera controller: helps a person to focus and expose the camera, and holds what is set."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from assistant.errors import BadInput
from assistant.features.camera.picture_quality import (
    SOFT_PX,
    QualityRemark,
    describe_flicker,
    describe_focus,
    describe_light,
    describe_noise,
    describe_smear,
)
from assistant.features.feature import Feature, Handles
from assistant.setup.editing import keep_section_values
from assistant.table.session import GameSession
from assistant.web.commands.calibration import OpticsAgain, OpticsFree, OpticsLock, OpticsLook, OpticsTurn
from assistant.web.messages import View
from assistant.web.messages.calibration import OpticsView, RemarkView, SpotView
from hardware.camera.frame_source import CameraSettings, ControlRequest, ControlValue
from hardware.frame import Frame
from vision.images import convert_to_grey
from vision.quality.exposure import Exposure, measure_exposure, measure_flicker
from vision.quality.sharpness import LocalSharpness, Sharpness, measure_sharpness
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_whole

WATCHED_NS = 6_000_000_000
"""A page that asked so long ago is no longer there."""
EVERY_NS = 400_000_000
"""Between two looks: the line from the camera waits while tags are looked for in a whole picture."""
STEADY = 24
"""Pictures by which flicker is told."""
THIN = 8
"""Every eighth pixel tells how light a picture is."""
NO_CONTROLS = (
    "this camera lets no program set its focus or exposure here: turn its lens by hand, or use its maker's program"
)
STAYS = "The camera would not hold that: it now says focus {focus} and exposure {exposure}. Use its maker's program."


def build_settings_writer(path: Path | None) -> Callable[[float | None, float | None], str]:
    """Return what writes focus and exposure into a set-up file; without one they are forgotten with the program."""

    def keep(focus: float | None, exposure: float | None) -> str:
        if path is None:
            return "It is forgotten when the program ends: a demo writes nothing."
        keep_section_values(path, "camera", {"focus": focus, "exposure": exposure})
        return f"{path.name} says so from now on."

    return keep


class AdjustableCamera(Protocol):
    """A camera whose focus and exposure may be asked for."""

    @property
    def settings(self) -> CameraSettings | None:
        """What it says of itself."""
        ...

    @property
    def adjusting(self) -> bool:
        """Whether it has not yet been asked for all that it is to do."""
        ...

    def adjust(self, request: ControlRequest) -> None:
        """Ask it for another focus or exposure."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMeasurement:
    """What one picture was found to be like."""

    image_size: tuple[int, int]
    focus: Sharpness | None
    exposure: Exposure


@dataclass(kw_only=True)
class CameraController(Feature):
    """Used from the thread of the table; pictures are looked at in a thread of the executor, one at a time."""

    name = "camera"
    camera: AdjustableCamera
    executor: Executor
    keep: Callable[[float | None, float | None], str] = field(default_factory=lambda: build_settings_writer(None))
    """Writes down focus and exposure to be held whenever the camera is opened, None for not at all, and returns in a
    sentence what became of it; BadInput if it cannot be written."""
    look: PictureMeasurement | None = None
    best_px: float | None = None
    note: str = ""
    _means: deque[float] = field(default_factory=lambda: deque(maxlen=STEADY))
    _future: "Future[PictureMeasurement] | None" = None
    _before: Frame | None = None
    _looked_ns: int | None = None
    _asked: bool = False
    _asked_ns: int | None = None
    _locking: bool = False

    @Handles(OpticsLook)
    def watch(self) -> None:
        """Look at the pictures for the next seconds."""
        self._asked = True

    @Handles(OpticsAgain)
    def forget_best(self) -> None:
        """Forget the sharpest picture so far."""
        self.best_px = None

    @Handles(OpticsLock)
    def lock(self) -> None:
        """Hold focus and exposure; BadInput: the camera has no such control."""
        self._require_settings()
        self.camera.adjust(ControlRequest(focus="hold", exposure="hold"))
        self._locking, self.note = True, "Asking the camera to hold focus and exposure …"

    @Handles(OpticsFree)
    def unlock(self) -> None:
        """Leave them to the camera; BadInput: it has no such control."""
        self._require_settings()
        self.camera.adjust(ControlRequest(focus="auto", exposure="auto"))
        self._locking = False
        self.note = f"The camera decides by itself again. {self.keep(None, None)}".strip()

    def see(self, frame: Frame) -> None:
        """Look at a picture, while a page shows what is found, unless one is being looked at."""
        if self._asked:
            self._asked, self._asked_ns = False, frame.captured_ns
        if self._asked_ns is None or frame.captured_ns - self._asked_ns > WATCHED_NS:
            self._asked_ns = None
            self._means.clear()
            return
        self._means.append(float(np.mean(frame.image[::THIN, ::THIN])))
        self._take_in()
        is_due = self._looked_ns is None or abs(frame.captured_ns - self._looked_ns) >= EVERY_NS
        if self._future is None and is_due:
            self._looked_ns = frame.captured_ns
            before = self._before
            same = before is not None and before.image.shape == frame.image.shape
            self._future = self.executor.submit(_measure_picture, before if same else None, frame)
            self._take_in()
        self._before = frame

    def assess(self) -> tuple[str, str]:
        """Return how it is, ``todo`` before the first look, and why, in a sentence."""
        remarks = self._list_remarks()
        if not remarks:
            return "todo", "Look at the picture: it is measured while this step is open."
        worst = remarks[0]
        if worst.grade != "good":
            return worst.grade, _build_sentence(worst)
        settings = self.camera.settings
        if settings is not None and settings.is_adjustable and not settings.locked:
            return "weak", "Sharp and well lit; lock the camera, so that it stays so."
        return "good", "Sharp and well lit."

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        del session
        yield self.build_view()

    def build_view(self) -> View:
        """Return what the pages show."""
        self._settle()
        measurement, settings = self.look, self.camera.settings or CameraSettings()
        spots = measurement.focus.spots if measurement and measurement.focus else ()
        state, text = self.assess()
        optics = OpticsView(
            width_px=measurement.image_size[0] if measurement else 0,
            height_px=measurement.image_size[1] if measurement else 0,
            blur_px=_round_blur(measurement.focus.blur_px) if measurement and measurement.focus else None,
            best_px=_round_blur(self.best_px) if self.best_px is not None else None,
            good_px=SOFT_PX,
            white=round(measurement.exposure.white) if measurement else None,
            burnt=round(measurement.exposure.burnt, 3) if measurement else None,
            sharpest=_build_spot(spots[0]) if spots else None,
            softest=_build_spot(spots[-1]) if spots else None,
            remarks=[
                RemarkView(about=remark.about, grade=remark.grade, text=remark.text, advice=remark.advice)
                for remark in self._list_remarks()
            ],
            can_focus=settings.focus is not None,
            can_expose=settings.exposure is not None,
            focus=settings.focus,
            exposure=settings.exposure,
            locked=settings.locked,
            note=self.note,
            state=state,
            text=text,
        )
        return View(optics={"optics": optics})

    @Handles(OpticsTurn)
    def turn(self, command: OpticsTurn) -> None:
        """Turn one of them; BadInput: the camera has no such control."""
        settings = self._require_settings()
        now = settings.focus if command.what == "focus" else settings.exposure
        if now is None:
            raise BadInput(f"this camera tells no {command.what}: set it by hand, or in its maker's program")
        turn: ControlValue = "auto" if command.by is None else now + command.by
        self.camera.adjust(ControlRequest(focus=turn) if command.what == "focus" else ControlRequest(exposure=turn))
        self.note, self._locking = "", False

    def _require_settings(self) -> CameraSettings:
        settings = self.camera.settings
        if settings is None or not settings.is_adjustable:
            raise BadInput(NO_CONTROLS)
        return settings

    def _settle(self) -> None:
        """Write down what the camera holds, once it says that it does."""
        settings = self.camera.settings
        if not self._locking or settings is None or self.camera.adjusting:
            return
        if not settings.locked:
            self.note = STAYS.format(focus=settings.focus, exposure=settings.exposure)
            return
        self._locking = False
        try:
            outcome = self.keep(settings.focus, settings.exposure)
        except BadInput as error:
            self.note = f"The camera holds, but this is not kept: {error}."
            return
        self.note = f"The camera holds its focus and exposure. {outcome}".strip()

    def _take_in(self) -> None:
        if self._future is None or not self._future.done():
            return
        done, self._future = self._future, None  # before what went wrong there is raised
        self.look = done.result()
        sharpness = self.look.focus
        if sharpness is not None and (self.best_px is None or sharpness.blur_px < self.best_px):
            self.best_px = sharpness.blur_px

    def _list_remarks(self) -> list[QualityRemark]:
        """Return what is to be said, the weakest first."""
        measurement = self.look
        if measurement is None:
            return []
        tags = len(measurement.focus.spots) if measurement.focus else 0
        remarks = [
            describe_light(measurement.exposure, tags=tags > 0),
            describe_noise(measurement.exposure),
            describe_flicker(measure_flicker(self._means)),
        ]
        if measurement.focus:
            remarks.append(describe_focus(blur_px=measurement.focus.blur_px, tags=tags, best_px=self.best_px))
            remarks.append(describe_smear(measurement.focus.smear))
        else:
            remarks.append(describe_focus(blur_px=0.0, tags=0))
        grades = ("bad", "weak", "good")
        return sorted(filter(None, remarks), key=lambda remark: grades.index(remark.grade))


def _measure_picture(before: Frame | None, frame: Frame) -> PictureMeasurement:
    grey = convert_to_grey(frame.image)
    fits = refine_corners(grey, detect_tags(grey, [select_whole(grey)]))
    squares_px = np.array([fit.corners_px for fit in fits]).reshape(-1, 4, 2)
    greys = [grey] if before is None else [convert_to_grey(before.image), grey]
    return PictureMeasurement(
        image_size=(grey.shape[1], grey.shape[0]),
        focus=measure_sharpness(grey, fits),
        exposure=measure_exposure(greys, squares_px),
    )


def _build_spot(spot: LocalSharpness) -> SpotView:
    return SpotView(x_px=round(spot.x_px), y_px=round(spot.y_px), blur_px=_round_blur(spot.blur_px))


def _round_blur(blur_px: float) -> float:
    """Return a blur as it is shown; finer steps would only tremble."""
    return round(blur_px, 2)


def _build_sentence(remark: QualityRemark) -> str:
    text = f"{remark.text[:1].upper()}{remark.text[1:]}"
    return f"{text}: {remark.advice}." if remark.advice else f"{text}."
