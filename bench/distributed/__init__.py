"""What a step costs that only moves parameters between tasks, and how that grows with the number of workers."""
