"""The tests, one folder a room of ``src/railwise``; packages, so that they can share builders by import."""
