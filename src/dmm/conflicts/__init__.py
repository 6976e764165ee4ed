"""Find memories that contradict or repeat each other, and give the reasons."""
