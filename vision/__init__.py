"""Vision: from pixels to base poses on the table.  It knows no rule."""
