"""The data sets of recsys-workbook; what is installed has its chapters and solutions, too.

`recsys_metrics.datasets` loads the data, `recsys-workbook lab` copies the rest.
"""
