"""The camera of a set-up: its source, its markers, its calibration files, its focus and exposure."""
