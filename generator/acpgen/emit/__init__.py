"""Turning the protocol into text: JSON Schema, names per language, templates, the written tree."""
