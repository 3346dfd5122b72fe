"""Side-by-side runs against other packages: ratios within one run, never absolute promises."""
