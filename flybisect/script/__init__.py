"""The Python file under study: statements and their spans, names, edits, static checks. Pure."""
