"""What several tests share: strategies, corpora, model files, servers and processes."""
