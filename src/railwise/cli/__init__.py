"""The command line: it reads arguments and files, asks the pure rooms, and prints. It decides nothing itself."""
