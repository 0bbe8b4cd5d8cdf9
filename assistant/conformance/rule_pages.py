"""Rule pages: for each rulebook a page of its rules, with what becomes of each and the cases that prove it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.conformance.case import Case
from assistant.conformance.case_file import list_case_files, read_case
from assistant.rules.books import list_rulebooks
from assistant.rules.rulebook import Rulebook, RuleEntry

_KINDS = "G measured, O which actions may be chosen, E an effect to report, S sequence, X outside the chapter"


def write_rule_pages(folder: Path, out: Path) -> dict[Path, str]:
    """Return the pages by their paths in a folder, for each rulebook that has cases in another.

    Args:
        folder: where the cases lie.
        out: where the pages are to lie; links lead from there to the cases.

    Raises:
        BadInput: a case that cannot be read.

    """
    cases = [(read_case(path), path) for path in list_case_files(folder)]
    pages = {}
    for book in list_rulebooks():
        own = [(case, path) for case, path in cases if case.rulebook == book.id]
        if own:
            pages[out / f"{book.id}.md"] = "\n".join(_write_page(book, own, out)) + "\n"
    return pages


def _write_page(book: Rulebook, cases: Sequence[tuple[Case, Path]], out: Path) -> Iterator[str]:
    yield f"# {book.title}: its rules, and the cases that prove them"
    yield ""
    yield (
        f"`overtable cases pages` makes this page, from the rule table of `{book.id}` and its {len(cases)} cases."
        f" Kinds: {_KINDS}."
    )
    yield ""
    yield "| rule | kind | what it says | what becomes of it | cases |"
    yield "|---|---|---|---|---|"
    for rule in book.rules:
        links = [_link(path, out, rule.id) for case, path in cases if rule.id in case.rules]
        yield f"| {rule.id} | {rule.kind} | {_escape(rule.statement)} | {_describe(rule)} | {', '.join(links)} |"
    rest = [_link(path, out) for case, path in cases if not case.rules]
    if rest:
        yield ""
        yield f"Examples of how several work together: {', '.join(rest)}."


def _describe(rule: RuleEntry) -> str:
    """Return what becomes of a rule, and why a case is missing where one could be expected."""
    said = [rule.coverage.value]
    said += [rule.reason] * bool(rule.reason) + [f"the sum of {rule.sum_of}"] * bool(rule.sum_of)
    said += [f"never {outcome.value}: {reason}" for outcome, reason in rule.never.items()]
    return _escape("; ".join(said))


def _link(path: Path, out: Path, rule: str = "") -> str:
    """Return a link to a case, called by what its name says beyond the rule."""
    said = path.stem.removeprefix(f"{rule}-").replace("-", " ")
    return f"[{said}]({Path(os.path.relpath(path, out)).as_posix()})"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
