"""A slow second opinion: the rules of the decision, written down once more, straight from their text."""
