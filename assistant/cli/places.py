"""Where the anchors of a set-up lie, told from pictures of the table."""

from collections.abc import Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.setup import Setup
from calibration.adjustment import Sighting
from calibration.errors import Unsolvable
from calibration.places import TableSize
from calibration.quality import held_out, on_a_line, sigma_map_mm, weaknesses
from calibration.spaces import Lens
from calibration.suspects import examine
from calibration.table import guess_lens
from calibration.table_bundle import TableFit, solve_places
from calibration.table_file import TableFile


def solved_table(
    setup: Setup, path: Path, lens: Lens | None, pictures: Sequence[Sighting], size: tuple[int, int]
) -> TableFile:
    """Return where the anchors of a set-up lie, and where the camera stood, by what pictures of one size show.

    Raises:
        BadInput: they do not tell, or contradict the set-up; one sentence says how.

    """
    known, laid, measured = lens or guess_lens(size), setup.laid, setup.table_size
    try:
        examined = examine(lens=known, laid=laid, table=measured, pictures=pictures)
        if wrong := examined.hopeless:
            raise BadInput(f"{path}: {wrong}")
        laid = tuple(anchor for anchor in laid if anchor.tag not in examined.left_out)
        fit = solve_places(lens=known, laid=laid, table=measured, pictures=pictures)
    except Unsolvable as error:
        raise BadInput(f"{path}: {error}") from None
    if on_a_line(fit):
        tags, worst_mm = ", ".join(str(anchor.tag) for anchor in fit.laid), _worst_mm(fit, measured)
        raise BadInput(
            f"{path}: the anchors seen ({tags}) lie on one line, so that the table's tilt about it is hardly told"
            f" (places are known to ± {worst_mm:.1f} mm at worst): lay one well off that line"
        )
    held = held_out(lens=known, laid=laid, table=measured, pictures=pictures, fit=fit)
    return TableFile.of(
        fit=fit,
        table=measured,
        pictures=[picture.name for picture in pictures],
        examined=examined,
        held=held,
        weak=[*_unseen(setup, pictures), *weaknesses(fit, measured, lens_known=lens is not None)],
    )


def _worst_mm(fit: TableFit, table: TableSize) -> float:
    return max(sigma_mm for camera in fit.cameras for *_, sigma_mm in sigma_map_mm(camera, table))


def _unseen(setup: Setup, pictures: Sequence[Sighting]) -> list[str]:
    seen = {tag for picture in pictures for tag in picture.squares_px}
    missing = [str(anchor.tag) for anchor in setup.anchors if anchor.tag not in seen]
    return [f"not seen in any picture: anchor {', '.join(missing)}"] if missing else []
