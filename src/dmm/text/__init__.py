"""The reader of English: words, lemmas, sentences, clauses, polarity and amounts."""
