"""What is published: reports that are made again from the same notebooks, and a page to share."""
