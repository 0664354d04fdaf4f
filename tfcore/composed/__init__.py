"""Functions that are graph code over other ops; `tfcore/__init__.py` loads them on first use."""
