"""Shared by several tests: strategies, corpora, model files, servers and processes."""
