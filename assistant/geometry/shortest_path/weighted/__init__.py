"""Weighted shortest paths: the cheapest ways over ground that costs, by slow areas and climbs."""
