"""A clone's history: ranges of commits, what each is built of, what is known of it. Reads only."""
