"""Differences of views: what a page that shows one is told to show another."""

from typing import Any

from assistant.web.messages import Changes, Fields, View
from assistant.web.messages.message import Message


def diff_views(old: View, new: View) -> tuple[Changes, dict[str, list[str]]]:
    """Return what was set and which keys are gone, by section; sections in which nothing changed are left out.

    Of a value that was there before, only the fields that changed are set.
    """
    changed: Changes = {}
    gone: dict[str, list[str]] = {}
    for name in View.model_fields:
        before, after = getattr(old, name), getattr(new, name)
        if before is after:
            continue
        touched: dict[str, Any] = {}
        for key, value in after.items():
            known = before.get(key)
            if known is None:
                touched[key] = value
            elif known is not value and (fields := _diff_fields(known, value)):
                touched[key] = fields
        if touched:
            changed[name] = touched
        if missing := [key for key in before if key not in after]:
            gone[name] = missing
    return changed, gone


def _diff_fields(old: Message, new: Message) -> Fields:
    before = old.__dict__
    return {name: value for name, value in new.__dict__.items() if before[name] != value}
