"""Bridges: each tells programs of one kind what happens on the table, in their own language.

All get what they need by one door (`assistant.bridges.bridge.Link`): the views that a role is shown.  They run in a
thread of their own (`assistant.runtime.bridge_runner`), so that nothing on the table waits for who is away.
"""
