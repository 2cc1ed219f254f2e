"""What people meet in a notebook: the explorer, a thin view over public functions, and magics."""
