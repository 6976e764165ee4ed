"""Questions answered: what is asked, what is known of it, and an answer within a budget."""
