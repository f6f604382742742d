"""Conjunctions of columns: pairs and triples of words that are in the same row, as columns of their own.

=========  ==========================================================================================
settings   which conjunctions become columns, validated once
word_rows  CSR rows → rows of the words that can take part, renumbered
counting   rows of words → the pairs and triples in them, and in how many rows they are
top_k      the strongest of them, within the memory budget
table      the chosen conjunctions: everything that applying them needs
apply      CSR rows and a table → CSR rows with conjunctions
names      ``excellent-and-not``: names of conjunctions, lookup by name, pivots by name
windows    words of a text that are near each other, before there are columns
=========  ==========================================================================================
"""
