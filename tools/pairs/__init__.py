"""Train the model that judges pairs of notes: data, training, export."""
