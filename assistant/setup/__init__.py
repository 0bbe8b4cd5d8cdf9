"""The set-up: its file, edits of that file, the draft of the set-up wizard, and the files that it names."""
