"""The explorer and the controls of notebooks, thin views over the public functions."""
