"""Conjunctions of columns: pairs and triples of words that stand in the same row, as columns of their own.

============  ==========================================================================================
settings      which conjunctions become columns, checked once
words         CSR rows → rows of the words that can take part, renumbered
counting      rows of words → the pairs and triples in them, and in how many rows they are
selection     the strongest of them, within the memory that there is
table         what was chosen: all that applying it needs
apply         CSR rows and a table → CSR rows with conjunctions
names         ``excellent-and-not``: how conjunctions are called
lookup        from a name, in any order of its words, to the conjunction
pivots        the columns that every conjunction must have one of, as users name them
windows       words of a text that stand near each other, before there are any columns
============  ==========================================================================================
"""
