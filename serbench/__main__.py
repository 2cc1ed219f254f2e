"""`python -m serbench` is `serbench`."""

from serbench.cli import main

if __name__ == "__main__":
    main()
