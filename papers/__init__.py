"""The papers' experiments again, with this library."""
