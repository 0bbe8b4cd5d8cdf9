"""The hall: a tournament of many tables, gathered in one place, and one desk for the judges who walk between them.

Rows of the tables' journals go through a broker (NATS with JetStream), of which nothing is written here: the
`publisher` at each table reads what was recorded and never what is being decided, and the `gatherer` at the hall makes
of it one recording a table, whose hash chain is the table's own.
"""
