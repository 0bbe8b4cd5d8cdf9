"""The rule table: every row, in our own words, and what becomes of it here."""

from assistant.rules.rows import rule_table

_ROWS = """
5e-01 S   all, some or none of a player's units move
5e-02 S   one unit at a time, finished before the next; no earlier one is changed
5e-03 G   infantry on foot at most 6", or what the profile says; each model by itself
5e-04 G   not into or through a friendly model
5e-05 G   not through a gap between friendly models that is narrower than the base
5e-06 G   no enemy model is touched in this phase
5e-07 G   never within 1" of an enemy model; wrecks are ignored
5e-08 G   coherency at the end of the unit's move: one chain of links of at most 2"
5e-09 O   a broken unit that can restore its coherency must do so
5e-10 E   a broken unit that cannot neither shoots nor assaults until it is coherent
5e-11 E   a pinned unit does not move, and restores its coherency at its first chance
5e-12 G   turning is free
5e-13 S   infantry may turn to face its targets in the Shooting phase
5e-14 G/E random moves, and compulsory ones straight at the closest enemy, obey difficult and dangerous terrain
5e-15 G   a random move that difficult terrain slows: half the roll, rounded up
5e-16 X   vehicles, jump and mounted infantry, and difficult or dangerous terrain on an ordinary move
5e-17 G   no part of a base crosses the table's edge or impassable terrain
"""
_ELSEWHERE = {
    "5e-13": "shooting is not part of the Movement phase, and nothing in it asks how a model faces",
    "5e-16": "the chapters on these units and on terrain say; such a move is noted, and measured as on open ground"
    " against the profile's move_in",
}

RULES = rule_table(_ROWS, _ELSEWHERE)
SAYINGS = {
    "cannot-assault": "{who} cannot launch an assault until it is coherent again",
    "cannot-shoot": "{who} cannot shoot until it is coherent again",
    "dangerous-terrain-test": "a dangerous terrain test for {who}",
    "must-restore-coherency": "{who} must restore its coherency as soon as it can move",
}
"""How an effect is said."""
