"""What the tools and drivers of a server say of its GPUs."""
