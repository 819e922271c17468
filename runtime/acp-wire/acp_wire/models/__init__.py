"""The base of generated models: strict, open, frozen pydantic classes that are exact on the wire.

Generated packages import the modules here. `marks` and `methods` need the standard library only,
the others pydantic, which comes with the extra `models`.
"""
