"""Python that a page of the book calls: checks of code, cells, and metrics of a visitor's file."""
