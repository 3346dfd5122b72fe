"""Conditional evidence: what its error rates and its power are, beside other ways to the answer.

``designs``   tables whose answer is known, by construction
``measure``   what every test says of one of them
``clusters``  clusters of correlated features, tested as a whole
``referees``  slower methods on a few of them
``real``      permuted copies added to real tables, and halves of their rows
``page``      the page
"""
