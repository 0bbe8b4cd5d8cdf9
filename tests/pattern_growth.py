"""Pattern growth: whether the steps that a pattern may take grow faster than the text does.

A backtracking engine takes more than linear time where one word can be read both as more of one repetition and as the
step to another one behind it (infinitely ambiguous automata; Weber and Seidl 1991, Weideman et al. 2016): all ways to
share a long text between the two are tried. Looking for a pattern at every place is such a repetition, too. Nothing
is timed: the automaton of the pattern says it.
"""

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as constants  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any, Literal

Use = Literal["whole", "start", "anywhere"]
"""Whether a pattern has to fit the whole text, or its start, or is looked for."""
AS_GOOD_AS_ENDLESS = 20
"""A repetition that may be longer than this counts as one without an end."""
_SAMPLE = "aZ0_ \n\r\té×٣!,.:;-()[]{}<>#+*=/\"'\\\x00\u00a0\u2013👾Kſİ"

Atom = str | None
"""A letter that stands for all that no part of the pattern tells from it; None is beyond the text."""
Condition = Callable[[Atom, Atom], bool]
"""Of the letters before and after a place."""


@dataclass(slots=True)
class _Automaton:
    """Places in a pattern; a letter leads from one to another, and so does nothing, where a condition holds."""

    flags: int
    letters: list[tuple[int, Callable[[Atom], bool], int]] = field(default_factory=list)
    jumps: list[tuple[int, Condition, int]] = field(default_factory=list)
    size: int = 0

    def add_place(self) -> int:
        self.size += 1
        return self.size - 1

    def jump(self, start: int, end: int, condition: Condition | None = None) -> None:
        self.jumps.append((start, condition or _always, end))

    def add_sequence(self, parts: Any, start: int) -> int:
        for operator, argument in parts:
            start = self.add_part(operator, argument, start)
        return start

    def add_part(self, operator: Any, argument: Any, start: int) -> int:
        """Add a part of a pattern behind a place; return the place behind it."""
        end = self.add_place()
        match operator:
            case constants.LITERAL | constants.NOT_LITERAL | constants.ANY | constants.IN:
                self.letters.append((start, self.read_class(operator, argument), end))
            case constants.BRANCH:
                for branch in argument[1]:
                    self.jump(self.add_sequence(branch, start), end)
            case constants.SUBPATTERN:
                self.jump(self.add_sequence(argument[3], start), end)
            case constants.ATOMIC_GROUP:
                self.jump(self.add_sequence(argument, start), end)
            case constants.MAX_REPEAT | constants.MIN_REPEAT | constants.POSSESSIVE_REPEAT:
                least, most, body = argument
                self.add_repetition(least, most, body, start, end)
            case constants.AT:
                across = argument is constants.AT_BEGINNING and not self.flags & re.MULTILINE
                self.jump(start, end, _AT[constants.AT_BEGINNING_STRING if across else argument])
            case constants.ASSERT | constants.ASSERT_NOT:
                direction, body = argument
                self.add_look(operator is constants.ASSERT, direction, body, start, end)
            case _:
                raise NotImplementedError(f"{operator} in a pattern")
        return end

    def read_class(self, operator: Any, argument: Any) -> Callable[[Atom], bool]:
        state = parser.State()
        state.flags = self.flags
        one = compiler.compile(parser.SubPattern(state, [(operator, argument)]), self.flags)
        return lambda atom: atom is not None and one.fullmatch(atom) is not None

    def add_repetition(self, least: int, most: int, body: Any, start: int, end: int) -> None:
        endless = most is constants.MAXREPEAT or most > AS_GOOD_AS_ENDLESS
        at = start
        for _ in range(min(least, AS_GOOD_AS_ENDLESS)):
            at = self.add_sequence(body, at)
        self.jump(at, end)
        if endless:
            loop = self.add_place()
            self.jump(at, loop)
            behind = self.add_sequence(body, loop)
            self.jump(behind, loop)
            self.jump(behind, end)
        else:
            for _ in range(most - least):
                at = self.add_sequence(body, at)
                self.jump(at, end)

    def add_look(self, wanted: bool, direction: int, body: Any, start: int, end: int) -> None:
        """Add an assertion: of one letter exactly, of more as steps that lead nowhere."""
        parts = list(body)
        if (
            parts
            and parts[-1 if direction < 0 else 0][0] in _CLASSES
            and (len(parts) == 1 or (direction < 0 and wanted))
        ):
            fits = self.read_class(*parts[-1])
            at = 0 if direction < 0 else 1
            self.jump(start, end, lambda *sides: fits(sides[at]) == wanted)
            return
        self.jump(start, end)
        if direction > 0:
            self.add_sequence(body, start)


_CLASSES = (constants.LITERAL, constants.NOT_LITERAL, constants.ANY, constants.IN)


def _always(_before: Atom, _after: Atom) -> bool:
    return True


def _is_word(atom: Atom) -> bool:
    return atom is not None and re.match(r"\w", atom) is not None


_AT: dict[Any, Condition] = {
    constants.AT_BEGINNING: lambda before, _: before in (None, "\n"),
    constants.AT_BEGINNING_STRING: lambda before, _: before is None,
    constants.AT_END: lambda _, after: after in (None, "\n"),
    constants.AT_END_STRING: lambda _, after: after is None,
    constants.AT_BOUNDARY: lambda before, after: _is_word(before) != _is_word(after),
    constants.AT_NON_BOUNDARY: lambda before, after: _is_word(before) == _is_word(after),
}


def find_growth(pattern: str | bytes, flags: int, use: Use) -> str | None:
    """Return a text that makes a pattern slow when it is repeated, after whatever leads there; None if none does."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    parsed = parser.parse(text, flags)
    flags = parsed.state.flags
    automaton = _Automaton(flags)
    start = automaton.add_place()
    goal = automaton.add_sequence(parsed, start)
    if use == "anywhere":
        restart = automaton.add_place()
        automaton.letters.append((restart, lambda atom: atom is not None, restart))
        automaton.jump(restart, start)
    return _Growth(automaton, goal, ends_early=use != "whole", alphabet=_choose_alphabet(automaton, text)).find()


def _choose_alphabet(automaton: _Automaton, text: str) -> list[str]:
    """Return a letter for each way in which the pattern tells letters apart."""
    near = {chr(code) for letter in text for code in (ord(letter) - 1, ord(letter), ord(letter) + 1) if code >= 0}
    candidates = sorted(near | set(text.upper()) | set(text.lower()) | set(_SAMPLE))
    told = dict[tuple[bool, ...], str]()
    for letter in (each for each in candidates if len(each) == 1):
        key = (*(fits(letter) for _, fits, _ in automaton.letters), _is_word(letter), letter == "\n")
        told.setdefault(key, letter)
    return list(told.values())


class _Growth:
    """Looks for a word that is read as more of one repetition, as the way to a second one, and as more of that."""

    def __init__(self, automaton: _Automaton, goal: int, *, ends_early: bool, alphabet: list[str]) -> None:
        self.alphabet = alphabet
        self.goal = goal
        self.ends_early = ends_early
        self.jumps: dict[int, list[tuple[Condition, int]]] = {}
        for start, condition, end in automaton.jumps:
            self.jumps.setdefault(start, []).append((condition, end))
        self.letters: dict[int, list[tuple[int, frozenset[str], int]]] = {}
        for at, (start, fits, end) in enumerate(automaton.letters):
            self.letters.setdefault(start, []).append((at, frozenset(filter(fits, alphabet)), end))
        self.behind = {at: end for at, (_, _, end) in enumerate(automaton.letters)}
        self.step = cache(self._step)
        self.can_end = cache(self._can_end)

    def _spread(self, place: int, before: Atom, after: Atom) -> list[int]:
        """Return all places that nothing leads to, each as often as there are ways."""
        found: list[int] = []
        ways = [(place, frozenset((place,)))]
        while ways:
            at, seen = ways.pop()
            found.append(at)
            for condition, end in self.jumps.get(at, ()):
                if end not in seen and condition(before, after):
                    ways.append((end, seen | {end}))
        return found

    def _step(self, letter: int, before: str, after: str) -> list[int]:
        """Return which letters of the pattern may read the text's next one, behind one of them."""
        places = self._spread(self.behind[letter], before, after)
        return [at for place in places for at, fits, _ in self.letters.get(place, ()) if after in fits]

    def _can_end(self, letter: int, before: str, after: str) -> bool:
        if not self.ends_early:
            return self._takes_all(letter, before)
        return self.goal in self._spread(self.behind[letter], before, after)

    def _follow(self, letter: int) -> set[int]:
        """Return which letters of the pattern may follow one, whatever stands in the text."""
        places, queue = {self.behind[letter]}, [self.behind[letter]]
        while queue:
            new = {end for _, end in self.jumps.get(queue.pop(), ())} - places
            places |= new
            queue += new
        return {at for place in places for at, _, _ in self.letters.get(place, ())}

    def _takes_all(self, letter: int, before: str) -> bool:
        """Whether a letter of the pattern reads all that may follow, so that nothing fails behind it."""
        return self.goal in self._spread(self.behind[letter], before, None) and all(
            letter in self.step(letter, before, after) for after in self.alphabet
        )

    def find(self) -> str | None:
        following = {at: self._follow(at) for at in self.behind}
        reached = {at: _reach(at, following) for at in following}
        loops = [at for at in following if at in reached[at]]
        for first in loops:
            for second in loops:
                if first != second and second in reached[first]:
                    word = self._find_word(first, second, reached)
                    if word is not None:
                        return word
        return next(self._find_doubled(loops, reached), None)

    def _find_doubled(self, loops: list[int], reached: dict[int, set[int]]) -> Iterator[str]:
        """Yield letters between which nothing leads in two ways, in a loop: repetitions of repetitions."""
        for at, before, after in product(loops, self.alphabet, self.alphabet):
            following = self.step(at, before, after)
            for to in set(following):
                if following.count(to) > 1 and at in reached[to]:
                    yield before + after

    def _find_word(self, first: int, second: int, reached: dict[int, set[int]]) -> str | None:
        """Return a word that leads from the first to itself, from the first to the second, and from there to itself."""
        fits = {at: letters for places in self.letters.values() for at, letters, _ in places}
        for last in fits[first] & fits[second]:
            begun = (first, first, second, last)
            known = {begun: ""}
            queue = [begun]
            for one, between, other, before in queue:
                word = known[one, between, other, before]
                for after in self.alphabet:
                    if self.can_end(other, before, after):
                        continue
                    ways = product(
                        (to for to in set(self.step(one, before, after)) if first in reached[to]),
                        (to for to in set(self.step(between, before, after)) if to == second or second in reached[to]),
                        (to for to in set(self.step(other, before, after)) if second in reached[to]),
                    )
                    for to in ways:
                        state = (*to, after)
                        if state == (first, second, second, last):
                            return word + after
                        if state not in known:
                            known[state] = word + after
                            queue.append(state)
        return None


def _reach(start: int, following: dict[int, set[int]]) -> set[int]:
    found, queue = set[int](), [start]
    while queue:
        new = following[queue.pop()] - found
        found |= new
        queue += new
    return found
