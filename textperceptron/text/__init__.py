"""Text → columns: strings in, CSR arrays and a vocabulary out, without scikit-learn or scipy.

===============  =======================================================================================
documents        any iterable of documents → preprocessed lists of str, or an error that names the document
tokenize         lists of str → blocks of UTF-8 tokens, in compiled code or by a user's function
term_table       tokens → term numbers, while the vocabulary is learnt
columns          choice and order of the terms that become columns (``min_df``, ``max_df``, ``max_features``)
vocabulary       names of columns: offsets, arena, hash table
counted_texts    texts counted once; columns, rows and names for all of them or any subset
csr              compressed rows
vectorize        ``fit_transform`` and ``transform``
hashing          hashed columns instead of a vocabulary
normalize        rows of length 1
log_count_ratio  supervised weights of columns
conjunctions     pairs and triples of columns, and of words near each other
analyze          the terms of one document as strings
===============  =======================================================================================

What a document is, how it becomes terms and which terms become columns is stated by a
:class:`textperceptron.settings.TextSettings`, which was validated when it was made.
"""
