"""`overtable schema`: the file formats, as JSON Schemas."""

import click
from pydantic import BaseModel

from assistant.armies.army import Army
from assistant.armies.own_bases import OwnBases
from assistant.cli.output import print_json
from assistant.conformance.case_file import CaseForm
from assistant.errors import BadInput
from assistant.features.demo.script import ScriptForm
from assistant.features.diagnosis.plan import Plan
from assistant.features.diagnosis.report import Diagnosis
from assistant.game.situation_file import SituationForm
from assistant.layouts.layout import Layout
from assistant.recording.journal.row_encoding import build_row_format
from assistant.recording.poses import Poses
from assistant.replay.exports.json_lines import EventsForm
from assistant.replay.reports.statistics import Statistics
from assistant.replay.reprocess.result import Anew
from assistant.replay.verdict_diff import Differences
from assistant.rules.answer_documents import ActionsForm, VerdictForm, ZoneForm
from assistant.setup.draft import SetupDraft
from assistant.setup.editing import EnrolmentForm
from assistant.setup.file import Setup
from assistant.setup.hall_file import HallFile
from assistant.setup.lighting import LightFile
from assistant.setup.ring_words import RingsForm
from assistant.web.api.live_schema import build_live_schema
from calibration.lens.file import ComparisonForm, OrdinaryLensFile
from calibration.projector.file import ProjectorFile
from calibration.table.file import TableFile

FORMATS: dict[str, type[BaseModel]] = {
    "actions": ActionsForm,
    "anew": Anew,
    "army": Army,
    "bases": OwnBases,
    "cases": CaseForm,
    "comparison": ComparisonForm,
    "differences": Differences,
    "doctor": Diagnosis,
    "draft": SetupDraft,
    "enrolment": EnrolmentForm,
    "events": EventsForm,
    "hall": HallFile,
    "journal": build_row_format(),
    "layout": Layout,
    "lens": OrdinaryLensFile,
    "light": LightFile,
    "plan": Plan,
    "poses": Poses,
    "projector": ProjectorFile,
    "rings": RingsForm,
    "script": ScriptForm,
    "setup": Setup,
    "situation": SituationForm,
    "stats": Statistics,
    "table": TableFile,
    "verdict": VerdictForm,
    "zone": ZoneForm,
}


LIVE = "live"
"""What is said on the live socket, which is no file."""


@click.command()
@click.argument("name")
def schema(name: str) -> None:
    """Print the JSON Schema of a file format, or of what is said on the live socket.

    NAME is one of actions, anew, army, bases, cases, comparison, differences, doctor, draft, enrolment, events,
    hall, journal, layout, lens, light, live, plan, poses, projector, rings, script, setup, situation, stats, table,
    verdict, zone.
    """
    if name == LIVE:
        print_json(build_live_schema())
        return
    if name not in FORMATS:
        raise BadInput(f"schema: there is no format {name!r}; expected one of {', '.join(sorted((LIVE, *FORMATS)))}")
    print_json(FORMATS[name].model_json_schema())


commands: list[click.Command] = [schema]
