"""Plans, conducts and contains the measuring; the only part that starts workers."""
