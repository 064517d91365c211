"""What all packages share: checks of arguments, readers of inputs, intervals, threads, plotting."""
