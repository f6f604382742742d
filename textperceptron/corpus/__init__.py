"""From files to texts and labels."""

from textperceptron.corpus.embedded import Corpus, Documents, corpus_names, load_corpus

__all__ = ["Corpus", "Documents", "corpus_names", "load_corpus"]
