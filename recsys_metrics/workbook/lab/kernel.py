"""Start the kernel of a workbook, so that a file beside a notebook never replaces a package.

JupyterLab starts a kernel as soon as a notebook opens, in the folder of the notebook, which may
come from somebody else. Python's ``-m`` would take a module of that folder before an installed
one, and so would IPython. Here the folder comes last: a module of the reader's own still imports.

This file is run by its path, and imports nothing of the package.
"""

import sys


def main() -> None:
    """Run a kernel until it is asked to end."""
    # IPython adds the current folder before the installed packages unless it is there already.
    sys.path.append("")
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


if __name__ == "__main__":
    main()
