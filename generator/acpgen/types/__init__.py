"""The algebra of types: what follows from the model alone, worked out once for every layer above.

`structure` lists, walks and rebuilds the parts of a type. `objects` follows references and joins an
object with its bases. `stability` and `views` cut a protocol down. `json_types`, `samples`,
`fingerprint` and `wording` describe a type: by the JSON types of its values, by values, by a
digest and in words.
"""
