"""Code pages: which one an older text is in, told by the letters that come of it.

A byte beyond ASCII is another letter in each page.  Of the pages that a text can be in, the one is taken in which its
words look most like words: of common letters, in one script, with capitals in front.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

_LETTERS = re.compile(rb"[\x80-\xff]+")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
MOST_WORDS, MOST_LETTERS = 300, 40
"""So many different words, and so many letters of one, tell enough."""
_SIGNS = frozenset("–—‘’‚“”„†•…‹›«»·°™®©¡¿½¼¾£€§×±№\xa0")
"""That people write in lists in any language."""
_APOSTROPHES = frozenset("‘’·")
SIGN, STRANGE, INSIDE, CAPITAL, FOREIGN, ACCENTS, OTHER_PAGE = 2.5, 8.0, 4.0, 4.0, 6.0, 2.0, 3.0
"""What makes a reading less likely, as logarithms: a sign; what is neither that nor a letter; a sign between letters;
a capital behind a small letter; letters of two scripts in a word; two accents side by side; an alphabet, and a page of
it, that is not the likeliest.
"""


@dataclass(frozen=True, kw_only=True)
class _Alphabet:
    """Letters of some languages, and the pages that have them."""

    pages: tuple[str, ...]
    """As Python calls them; the likeliest first."""
    letters: str
    """Beyond ASCII, in small; the most common first."""
    is_latin: bool = False
    """Whether they stand among letters of ASCII."""

    @cached_property
    def costs(self) -> Mapping[str, float]:
        """By letter, how unlikely it is."""
        return {letter: math.log(2 + rank) for rank, letter in enumerate(self.letters)}


_ALPHABETS = (
    _Alphabet(pages=("cp1252",), letters="éäüöèàóñíáêçåâßúîæãôïëøœòùûõìðþÿýšž", is_latin=True),
    _Alphabet(
        pages=("cp1251", "koi8-u", "cp866", "iso8859-5"),
        letters="оаеинтрсвлкмдпуяызьбгчйхжшюіцщфэєїёъґўјњљћџђѓќѕ",
    ),
    _Alphabet(pages=("cp1253", "iso8859-7"), letters="αοιετσνηυρπκμλςωίάόέήγδύχθβώφξζψϊϋΐΰ"),
    _Alphabet(pages=("cp1250", "iso8859-2"), letters="łóęąśżíáéčřšžěćńýőůöüźäťňďűúđľăţşîâôĺŕßëç", is_latin=True),
    _Alphabet(pages=("cp1254",), letters="ıüşçğöâîûé", is_latin=True),
    _Alphabet(pages=("cp1255",), letters="יוהלאמרתבשנדםכפעקחצגסטזןךףץ"),
    _Alphabet(pages=("cp1256",), letters="الينمرتوبدعهسةفقكحجشأصطىخذزضغثئءإظآؤ"),
)


def find_encoding(data: bytes) -> str:
    """Return what a text that is not in UTF-16 is most likely in, as Python calls it: UTF-8, or a code page.

    >>> find_encoding("5 Стрелков 32mm".encode("koi8-r"))
    'koi8-u'
    """
    runs = [match[0] for match in islice(_LETTERS.finditer(data), MOST_WORDS)]
    if 2 * sum(_is_in(run, "utf-8") for run in runs) >= len(runs):  # a few letters of it may be damaged
        return "utf-8-sig"
    different = dict.fromkeys(word[0][:MOST_LETTERS] for word in _WORD.finditer(data) if not word[0].isascii())
    words = list(islice(different, MOST_WORDS))
    costs = {
        page: _weigh(words, page, alphabet) + OTHER_PAGE * ((number > 0) + (page != alphabet.pages[0]))
        for number, alphabet in enumerate(_ALPHABETS)
        for page in alphabet.pages
        if _is_in(data, page)
    }
    return min(costs, key=costs.__getitem__)


def _is_in(data: bytes, page: str) -> bool:
    try:
        data.decode(page)
    except UnicodeDecodeError:
        return False
    return True


def _weigh(words: Iterable[bytes], page: str, alphabet: _Alphabet) -> float:
    """Return how unlikely words of a page are."""
    return sum(_weigh_word(word.decode(page, errors="replace"), alphabet) for word in words)


def _weigh_word(word: str, alphabet: _Alphabet) -> float:
    cost = sum(_weigh_letter(letter, alphabet) for letter in word if not letter.isascii())
    for before, letter in pairwise(word):
        if letter in _SIGNS or before in _SIGNS:
            continue
        cost += CAPITAL if before.islower() and letter.isupper() else 0
        if before.isascii() != letter.isascii():
            cost += 0 if alphabet.is_latin else FOREIGN
        elif not letter.isascii():
            cost += ACCENTS if alphabet.is_latin else 0
    inner = word.strip("".join(_SIGNS))
    return cost + INSIDE * sum(letter in _SIGNS - _APOSTROPHES for letter in inner)


def _weigh_letter(letter: str, alphabet: _Alphabet) -> float:
    return SIGN if letter in _SIGNS else alphabet.costs.get(letter.lower(), STRANGE)
