"""The trial of the rules: random situations by seed, relations that must hold among the referee's answers, a fuzzer.

`make trial-rules` runs every trial and prints what contradicts itself; `make test` runs the first of each.
"""
