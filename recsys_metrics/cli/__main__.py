"""`python -m recsys_metrics.cli`."""

from recsys_metrics.cli import main

if __name__ == "__main__":
    main()
