"""The data and models of the chapters, and the tables and measurements made from them."""
