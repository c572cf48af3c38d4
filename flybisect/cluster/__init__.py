"""Trials on the workers of a Dask scheduler, by joblib's Dask back-end. Imported with `--scheduler` alone."""
