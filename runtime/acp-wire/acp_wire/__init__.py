"""The common base of all packages that read or write ACP messages, for any schema.

The reader of JSON, the envelope of JSON-RPC 2.0, names that look like an idempotency key, the
redaction of keys, the pairing of requests with responses, and the base of generated models and
decoders. Needs the standard library only, except for `models` (pydantic) and `decoding` (msgspec).
"""
