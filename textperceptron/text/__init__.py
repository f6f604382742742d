"""Text → columns: strings in, CSR arrays and a vocabulary out, with neither scikit-learn nor scipy.

============  ==========================================================================================
settings      what a document is and how it is cut, checked once
documents     any iterable of documents → lists of str, or an error that names the document
pieces        lists of str → blocks of UTF-8 tokens, in compiled code or by a user's function
tally         tokens → term numbers, while the vocabulary is being learnt
columns       which terms stay (``min_df``, ``max_df``, ``max_features``) and in which order
vocabulary    names of columns: offsets, arena, hash table
rows          term numbers → CSR rows with ascending columns
count         all of these together: learn a vocabulary, or apply one
hashing       columns by a hash instead of a vocabulary
prefixes      the beginnings of longer words as further terms
conjunctions  pairs and triples of columns, and of words near each other
weights       log-count ratios of columns
============  ==========================================================================================
"""
