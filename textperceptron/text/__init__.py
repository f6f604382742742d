"""Text → columns: strings in, CSR arrays and a vocabulary out, with neither scikit-learn nor scipy.

===============  =======================================================================================
documents        any iterable of documents → preprocessed lists of str, or an error that names the document
tokenize         lists of str → blocks of UTF-8 tokens, in compiled code or by a user's function
term_table       tokens → term numbers, while the vocabulary is being learnt
columns          which terms become columns (``min_df``, ``max_df``, ``max_features``) and in which order
vocabulary       names of columns: offsets, arena, hash table
counted_texts    texts counted once; columns, rows and names of all of them or of any subset
csr              rows in compressed form
vectorize        ``fit_transform`` and ``transform``
hashing          columns by a hash instead of a vocabulary
normalize        rows of length 1
log_count_ratio  supervised weights of columns
conjunctions     pairs and triples of columns, and of words near each other
analyze          the terms of one document as strings
===============  =======================================================================================

What a document is, how it becomes terms and which terms become columns is stated by a
:class:`textperceptron.settings.TextSettings`, which was validated when it was made.
"""
