"""`python -m sitegen`: the same as the console script."""

from sitegen.cli import main

if __name__ == "__main__":
    main()
