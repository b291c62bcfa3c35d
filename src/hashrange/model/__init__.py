"""The vocabulary: nouns only, no behaviour that needs I/O."""
