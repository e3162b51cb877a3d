"""Tests of sitegen."""
