"""The referee as an engine: the one of this project, which the cases are put to without a command between."""

from assistant.conformance.case import Case
from assistant.conformance.engine_command import Answer, NoAnswer
from assistant.errors import BadInput
from assistant.game.situation_file import parse_situation
from assistant.rules.answer_documents import encode_actions, encode_verdict, encode_zone
from assistant.rules.referee import Referee
from assistant.rules.verdict import EVERYTHING


def ask_referee(case: Case) -> Answer:
    """Return what the referee answers to a case, as a JSON document; `NoAnswer` where it refuses the question."""
    try:
        situation, ask = parse_situation(case.situation, case.name), case.ask
        referee = Referee(situation.state)
        match ask["command"]:
            case "judge":
                return encode_verdict(referee.judge(situation.move, detail=EVERYTHING))
            case "actions":
                return encode_actions(ask["unit"], referee.list_options(ask["unit"]))
        rolls, lost = tuple(ask.get("rolls", ())), tuple(ask.get("lost", ()))
        intent = {
            key: tuple(value) if isinstance(value, list) else value for key, value in ask.get("intent", {}).items()
        }
        facing = ask.get("facing", "any")
        if "unit" in ask:
            zone = referee.find_unit_zone(
                unit=ask["unit"], action=ask["action"], rolls=rolls, facing=facing, intent=intent, lost=lost
            )
        else:
            zone = referee.find_zone(
                model=ask["model"],
                action=ask["action"],
                rolls=rolls,
                facing=facing,
                alone=ask.get("alone", False),
                intent=intent,
                lost=lost,
            )
        return encode_zone(zone)
    except BadInput as refused:
        raise NoAnswer(str(refused)) from None
