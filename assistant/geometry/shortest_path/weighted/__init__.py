"""Cheapest paths over ground that costs: slow areas and climbs."""
