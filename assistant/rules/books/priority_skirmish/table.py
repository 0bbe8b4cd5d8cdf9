"""The rule table: every row, in our own words, and what becomes of it here."""

from assistant.rules.rows import rule_table

_ROWS = """
pri-01 S   the Move phase comes after the roll for priority
pri-02 S   the side with priority makes all its moves, then the other side
pri-03 G   a model goes no further than its movement; less or nothing will do
pri-04 S   models move in any order
pri-05 G   a path may bend; its whole length counts
pri-06 G/E a Defensive move takes a shield, goes half as far, and betters the save by 1
pri-07 G/E a Stealth move takes a cloak, goes half as far, and worsens attackers' perception by 1
pri-08 G   an incline under 2" is ignored; a higher one is difficult terrain, up and down
pri-09 G   difficult terrain counts double; a climb that takes more than the whole move is impassable
pri-10 G   a gap under 3" is ignored; a wider one is difficult terrain
pri-11 G   a gap that takes more than the whole move is impassable, and nobody stands over one
pri-12 G   no model goes through an enemy
pri-13 G   friendly models step aside
pri-14 G   no model ends on top of another
pri-15 G   no nearer than 1" to an enemy that the model does not mean to engage
pri-16 G   to engage an enemy is to end in base contact with it
pri-17 O   models in base contact do not move again this phase
pri-18 G   turning is free at any time
pri-19 G   no model leaves the table, unless a retreat or a scenario lets it
pri-20 G   in coherency: within 1" and 6" of height of another model of the unit
pri-21 E   a model in coherency adds its Integrity to Martial
pri-22 E   a group in which an Integrity is negative suffers the greatest negative
pri-23 E   a model out of coherency has none of its benefits this turn
pri-24 X   a unit may have a coherency range of its own
pri-25 X   impassable terrain is not entered; what other words of the glossary do is not known here
"""

RULES = rule_table(_ROWS)
MOST_INTEGRITY = 20
SAYINGS = {
    "save-better-by-1": "{who}: save better by 1 (5+ becomes 4+)",
    "attackers-perception-worse-by-1": "whoever attacks {who}: perception worse by 1 (5+ becomes 6+)",
    "cannot-move": "engaged, and moving no more this phase: {who}",
    "left-table": "{who} has left the table",
    "out-of-coherency": "out of coherency, and without its benefits this turn: {who}",
    "coherency-undecided": "too close to call whether in coherency: {who}",
    **{f"martial+{n}": f"{{who}}: Martial +{n}, from Integrity in coherency" for n in range(1, MOST_INTEGRITY + 1)},
    **{f"martial-{n}": f"{{who}}: Martial {-n}, from negative Integrity" for n in range(1, MOST_INTEGRITY + 1)},
}
"""How an effect is said."""
