"""`python -m hashrange` is `hashrange`."""

from hashrange.cli.commands import main

if __name__ == "__main__":
    main()
