"""Relevance bounds."""
