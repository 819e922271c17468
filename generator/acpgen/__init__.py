"""acpgen: the schema and code generation of the Agent Client Protocol v2."""
