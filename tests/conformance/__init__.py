"""The policy tests of ``cases/`` as tests of the engine, and the tools that read and judge them."""
