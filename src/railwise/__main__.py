"""``python -m railwise``: the command line where its script is not on the PATH."""

from railwise.cli.main import main

if __name__ == "__main__":
    main()
