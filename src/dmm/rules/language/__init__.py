"""English: rules in plain words compiled, and recorded decisions judged by them."""
