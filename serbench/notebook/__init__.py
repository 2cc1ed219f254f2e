"""What people use in a notebook: the explorer, a thin view over the public functions, and the magics."""
