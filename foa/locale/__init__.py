"""The translations: a catalogue and the form of numbers for each language."""
