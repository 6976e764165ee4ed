"""From a query to a pack: route, search, rank, assemble, render; values in, values out."""
