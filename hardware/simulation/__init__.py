"""The simulation: a table, a camera over it and a projector, all rendered."""
