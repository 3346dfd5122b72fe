"""What the site adds to Sphinx: links, formulas and the reference."""
