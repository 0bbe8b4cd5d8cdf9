"""The runtime: builds cameras, pipelines and features, and runs them."""
