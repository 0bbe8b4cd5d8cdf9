"""Picture quality: sharpness and exposure."""
