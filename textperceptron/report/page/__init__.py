"""The page: one file of HTML about a model, which classifies while one types and loads nothing.

=============  =======================================================================================
write          :func:`write_page`: sections, style, scripts and data in one file, and its policy
findings       predictions, margins, likely wrong labels, unknown words
embedded       the model that the page contains: the columns with the largest weights, and their cost
sentences      sentences of the corpus for the terms with the largest weights
sections       verdict, text box, terms, mistakes: scripts enhance them
numbers        margins, probabilities, learning, classes, words, model
charts, html   SVG and HTML from strings, escaped
dom.js … start.js, page.css    what runs in the page, after export/classifier.js
=============  =======================================================================================
"""
