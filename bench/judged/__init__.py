"""The judged tables: what people agreed on, and how much of it the product finds."""
