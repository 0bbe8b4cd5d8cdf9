"""The view of a whole game: what happened in it and what the referee found, as the pages are told."""

from datetime import UTC, datetime

from assistant.game.naming import list_names
from assistant.replay.formatting import DATED_NS, SECOND_NS
from assistant.replay.game_log import LogEntry, LoggedFinding, LoggedRuling
from assistant.replay.recorded_game import RecordedGame
from assistant.web.messages.past import DecidedView, FoundView, HappeningView, WholeGame


def build_whole_game(past: RecordedGame, after: int) -> WholeGame:
    """Return what was added to a game, or changed, after a revision; a long one comes in pieces."""
    more = past.judge_more()
    revision, happened, findings = past.read_changes(after)
    began = past.began_ns if past.began_ns > DATED_NS else 0
    return WholeGame(
        revision=revision,
        more=more,
        recording=past.path.name,
        began=datetime.fromtimestamp(began / SECOND_NS, UTC).isoformat() if began else "",
        ended_ns=past.find_end_ns(),
        judged_ns=past.log.at_ns,
        happened=[_build_happening_view(entry) for entry in happened],
        found=[_build_found_view(entry) for entry in findings],
        names=list_names(past.first.units),
    )


def _build_happening_view(entry: LogEntry) -> HappeningView:
    return HappeningView(
        at_ns=entry.at_ns,
        kind=entry.kind,
        text=entry.text,
        units=list(entry.units),
        player=entry.player,
        turn=entry.turn,
    )


def _build_found_view(logged: LoggedFinding) -> FoundView:
    finding = logged.finding
    return FoundView.model_validate(
        {
            "number": logged.number,
            "at_ns": logged.at_ns,
            "until_ns": logged.until_ns,
            "fate": logged.fate,
            "fleeting": logged.is_preview,
            "rule": finding.rule,
            "outcome": finding.outcome.value,
            "subjects": list(finding.subjects),
            "text": finding.text,
            "measured_mm": finding.measured_mm,
            "limit_mm": finding.limit_mm,
            "margin_mm": finding.margin_mm,
            "sigma_mm": finding.sigma_mm,
            "p_legal": finding.p_legal,
            "witness_mm": list(finding.witness_mm),
            "units": list(logged.units),
            "players": list(logged.players),
            "turn": logged.turn,
            "rulings": [_build_decided_view(made) for made in logged.rulings],
        }
    )


def _build_decided_view(logged: LoggedRuling) -> DecidedView:
    ruling = logged.ruling
    return DecidedView(
        number=logged.number,
        on_past=ruling.at_ns is not None,
        at_ns=logged.at_ns,
        by=ruling.by,
        outcome=ruling.outcome,
        note=ruling.note,
    )
