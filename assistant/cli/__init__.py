"""The commands; the only place that builds cameras and pipelines."""
