"""Import: foreign logs become cells."""
