"""The public functions by theme; `serbench` itself exports them."""
