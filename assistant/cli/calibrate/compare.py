"""`overtable calibrate compare`: whether lens files can be of the same camera."""

import itertools
from pathlib import Path

import click

from assistant.cli.calibrate.said import pair_in_words, stand_of
from assistant.cli.output import as_json
from assistant.errors import BadInput
from assistant.files import read_json
from calibration.compare import OUTCOMES
from calibration.compare import compare as compare_lenses
from calibration.errors import Unsolvable
from calibration.lens_forms import ComparisonForm, PairForm
from calibration.store import LensFile

_FILES = click.Path(path_type=Path)


@click.command("compare")
@click.option("--setup", type=_FILES, help="The set-up whose table it is told for; otherwise 60 by 44 inches.")
@click.argument("lenses", nargs=-1, required=True, type=_FILES, metavar="LENS LENS...")
@as_json
def compare(setup: Path | None, lenses: tuple[Path, ...], as_json: bool) -> None:
    """Say whether lens files can be of the same camera, at the same focus.

    Two calibrations of one camera lie apart by chance, as far as their standard deviations say.  Lenses that lie
    further apart than that disagree, however small the error of each in its own pictures.
    """
    if len(lenses) < 2:
        raise BadInput(f"{lenses[0]}: one lens alone compares with nothing; expected two lens files or more")
    files = [read_json(path, LensFile) for path in lenses]
    stand = stand_of(files[0].lens, setup)
    pairs: list[PairForm] = []
    for (one, first), (other, second) in itertools.combinations(zip(lenses, files, strict=True), 2):
        try:
            pairs.append(PairForm.of(str(one), str(other), compare_lenses(first.lens, second.lens, stand)))
        except Unsolvable as error:
            raise BadInput(f"{one} and {other}: {error}") from None
    outcome = max((pair.outcome for pair in pairs), key=OUTCOMES.index)
    answer = ComparisonForm(outcome=outcome, table_mm=stand.table_mm, height_mm=stand.height_mm, pairs=tuple(pairs))
    if as_json:
        click.echo(answer.model_dump_json())
        return
    for pair in pairs:
        click.echo("\n".join(pair_in_words(pair)))
    for path, file in zip(lenses, files, strict=True):
        if file.covariance is None:
            click.echo(f"{path} does not say how sure it is; an ordinary calibration's uncertainty is taken.")
