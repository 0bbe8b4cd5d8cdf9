"""The rule engine: measuring constraints, and the regions that they leave to a model."""
