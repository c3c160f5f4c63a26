"""Equal pods with one rule, answered from indexes at any cluster size."""
