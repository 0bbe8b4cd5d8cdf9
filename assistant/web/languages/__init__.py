"""Languages of the pages: a catalogue each, which language a page is asked for in, and what is to be translated."""
