"""Reports in another language: what a battle report and an incident report say, read as the pages read it."""

from collections.abc import Iterable
from dataclasses import replace

from assistant.replay.reports.battle import Battle, Chapter, ClosestCall, ToldMove
from assistant.replay.reports.incident import Incident, Section
from assistant.web.languages.reading import read


def translate_battle(battle: Battle, language: str) -> Battle:
    """Return a battle report in a language; names and what people wrote stay as they are."""

    def say(text: str) -> str:
        return read(text, language)

    def say_all(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(say(text) for text in texts)

    def translate_move(told: ToldMove) -> ToldMove:
        words = replace(told.words, parts=say_all(told.words.parts), fates=say_all(told.words.fates))
        return replace(told, words=words)

    def translate_chapter(chapter: Chapter) -> Chapter:
        moves = tuple(map(translate_move, chapter.moves))
        happened = say_all(chapter.happened)
        return replace(chapter, title=say(chapter.title), clock=say(chapter.clock), moves=moves, happened=happened)

    def translate_call(call: ClosestCall) -> ClosestCall:
        return replace(call, title=say(call.title), statement=say(call.statement), figures=say(call.figures))

    return replace(
        battle,
        title=say(battle.title),
        about=say_all(battle.about),
        tiles=tuple((say(figure), say(what)) for figure, what in battle.tiles),
        sides=tuple(replace(side, figures=say(side.figures)) for side in battle.sides),
        chapters=tuple(map(translate_chapter, battle.chapters)),
        calls_title=say(battle.calls_title),
        calls=tuple(map(translate_call, battle.calls)),
        foot=say(battle.foot),
    )


def translate_incident(incident: Incident, language: str) -> Incident:
    """Return an incident report in a language; names and notes stay as they are."""

    def say(text: str) -> str:
        return read(text, language)

    def translate_section(section: Section) -> Section:
        rows = tuple(row.model_copy(update={"label": say(row.label), "text": say(row.text)}) for row in section.rows)
        return section.model_copy(update={"title": say(section.title), "rows": rows})

    said = {name: say(getattr(incident, name)) for name in ("at", "outcome_said", "statement", "picture_said")}
    return incident.model_copy(update={**said, "sections": tuple(map(translate_section, incident.sections))})
