"""The soak: a table that plays through a long night, with cameras, disks, clocks and pages that fail by lot.

`make soak` plays six hours of the table's time as fast as they go and then one by the clock; `make test` half a minute.
"""
