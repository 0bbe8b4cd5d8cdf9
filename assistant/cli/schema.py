"""`overtable schema`: the file formats, as JSON Schemas."""

import click
from pydantic import BaseModel

from assistant.armies.army import Army
from assistant.cli.doctor.report import Diagnosis
from assistant.cli.output import print_json
from assistant.draft.entries import Draft
from assistant.enrolment import EnrolmentForm
from assistant.errors import BadInput
from assistant.game.situation_form import SituationForm
from assistant.lights import LightFile
from assistant.past.anew.form import Anew
from assistant.past.lines import EventsForm
from assistant.past.otherwise import Differences
from assistant.past.statistics import Statistics
from assistant.poses import Poses
from assistant.record.schema import row_form
from assistant.rules.formats import ActionsForm, VerdictForm, ZoneForm
from assistant.script.form import ScriptForm
from assistant.setup import Setup
from calibration.lens_forms import ComparisonForm
from calibration.projector_file import ProjectorFile
from calibration.store import LensFile
from calibration.table_file import TableFile

FORMATS: dict[str, type[BaseModel]] = {
    "actions": ActionsForm,
    "anew": Anew,
    "army": Army,
    "comparison": ComparisonForm,
    "differences": Differences,
    "doctor": Diagnosis,
    "draft": Draft,
    "enrolment": EnrolmentForm,
    "events": EventsForm,
    "journal": row_form(),
    "lens": LensFile,
    "light": LightFile,
    "poses": Poses,
    "projector": ProjectorFile,
    "script": ScriptForm,
    "setup": Setup,
    "situation": SituationForm,
    "stats": Statistics,
    "table": TableFile,
    "verdict": VerdictForm,
    "zone": ZoneForm,
}


@click.command()
@click.argument("name")
def schema(name: str) -> None:
    """Print the JSON Schema of a file format.

    NAME is one of actions, anew, army, comparison, differences, doctor, draft, enrolment, events, journal, lens, light,
    poses, projector, script, setup, situation, stats, table, verdict, zone.
    """
    if name not in FORMATS:
        raise BadInput(f"schema: there is no format {name!r}; expected one of {', '.join(FORMATS)}")
    print_json(FORMATS[name].model_json_schema())


commands: list[click.Command] = [schema]
