"""The explorer, a thin view over the public functions, and the magics."""
