"""Everything the indexes cannot answer: the exact search, the bounded one, and which of them is asked."""
