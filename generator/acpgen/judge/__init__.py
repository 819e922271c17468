"""Verdicts on messages: how a conforming receiver handles them, derived from the schema.

`single.validate` judges one message, `transcript.Transcript` the messages of a recording. Both
judge by a table of types (`acpgen.types.type_table`), so that the table that was generated from
acpgen's own schema explains a message before that schema could be loaded.

Needs the standard library and `acp_wire` only, and nothing that acpgen generates. Only `single`
imports the model and the loader; the rest of the folder imports nothing slow.
"""
