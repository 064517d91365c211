"""The workbook in JupyterLab: the reader's copy, the server, the kernel and the home page."""
