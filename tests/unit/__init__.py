"""Tests of one module each; the folders mirror the package."""
