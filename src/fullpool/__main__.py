"""`python -m fullpool` is the command `fullpool`."""

from fullpool.cli.app import main

if __name__ == "__main__":
    main()
