"""Conjunctions: pairs and triples of words in the same row, as additional columns.

=========  ==========================================================================================
settings   limits on the conjunctions that become columns, validated once
word_rows  CSR rows → rows of the words that conjunctions can contain, renumbered
counting   rows of words → their pairs and triples, with document frequencies
top_k      the strongest conjunctions, within the memory budget
table      the chosen conjunctions
apply      CSR rows and a table → CSR rows with conjunctions
names      ``excellent-and-not``: names of conjunctions, lookup by name, pivots by name
=========  ==========================================================================================
"""
