"""What can be wrong with a message, rule by rule: what, why, a mistake, how to mend it."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.judge.verdict import Rule

_DOCS = {
    Rule.NOT_JSON: """
A message is one JSON text (RFC 8259) that every parser can read.

Why: what one parser lets pass, such as NaN, text after the end or half of a character, breaks
another. A receiver that can't read a message answers -32700 and knows no id to answer to.

Mistake: `{"jsonrpc": "2.0", "id": NaN}`

Mend: write it with a JSON library, in UTF-8, one message a line.
""",
    Rule.NOT_A_MESSAGE: """
A message is one JSON object that calls, answers or refuses something.

Why: JSON-RPC 2.0 knows requests, notifications and responses, and ACP v2 has no batches.

Mistake: `[{"jsonrpc": "2.0", ...}]`, or an object without `method`, `result` and `error`

Mend: send each message on its own, with the member that says what it is for.
""",
    Rule.EXCLUSIVE_MEMBER: """
`method`, `result` and `error` exclude each other.

Why: with two of them, one peer takes the message for a request or a success and another doesn't.

Mistake: `{"jsonrpc": "2.0", "id": 1, "result": {}, "error": null}`

Mend: leave out the one that isn't meant; null counts as there.
""",
    Rule.UNKNOWN_METHOD: """
The method is one of the protocol, or an extension.

Why: a receiver answers -32601 to what it doesn't know. Names that begin with `_` are free for
extensions; a receiver that doesn't know such a one answers the same.

Mistake: `"method": "session/setTitle"`

Mend: correct the name, or begin it with `_` if it is an extension.
""",
    Rule.WRONG_KIND: """
A request has an id, a notification has none.

Why: the id asks for an answer. Without one a request is never answered, and a notification with one
has no result to answer with.

Mistake: `{"jsonrpc": "2.0", "id": 1, "method": "session/update", ...}`

Mend: take the id away from a notification; give a request one of its own.
""",
    Rule.WRONG_SIDE: """
A message goes to the side that handles its method.

Why: an agent doesn't handle what a client does, and the other way round, so it answers -32601.

Mistake: a client that sends `session/request_permission`

Mend: send it from the other side; `--from` says who sent what is judged.
""",
    Rule.REQUIRED: """
Required members are there.

Why: a receiver can't guess them. In params it answers -32602.

Mistake: `session/prompt` without `sessionId`

Mend: add the member that the pointer names. Null is no way to leave it out.
""",
    Rule.TYPE: """
A value is of the JSON type that its member has.

Why: nothing is coerced: "7" is no number, 1.0 is no integer, null is no empty list.

Mistake: `"sessionId": 5`

Mend: send the type that the message names.
""",
    Rule.CONST: """
A member with one possible value has that value.

Why: it tells what the rest of the object is, or which JSON-RPC is spoken.

Mistake: `"jsonrpc": "1.0"`

Mend: send the value that the message names.
""",
    Rule.ENUM: """
A value is one of those that are listed.

Why: the list is closed. A receiver has no meaning for another value.

Mistake: `"state": "sleeping"` where a list of states is closed

Mend: send one of the values that the message names.
""",
    Rule.MIN_LENGTH: """
A string is not too short.

Why: an empty ID or key names nothing. Lengths count Unicode code points, not bytes.

Mistake: `"idempotencyKey": ""`

Mend: send a longer string, or leave an optional member out.
""",
    Rule.MAX_LENGTH: """
A string is not too long.

Why: receivers store it, so they hold to one limit. Lengths count Unicode code points, not bytes.

Mistake: an `idempotencyKey` of 256 characters

Mend: send a shorter string; a UUID is enough for a key.
""",
    Rule.PATTERN: """
A string matches the pattern of its type.

Why: what doesn't can't be read as what it stands for.

Mistake: a string with a space where the pattern has no place for one

Mend: compare it with the pattern that the message names.
""",
    Rule.MINIMUM: """
A number is not too small.

Why: below the limit it means nothing, as a negative size does, or doesn't fit the integer that
receivers keep it in.

Mistake: `"used": -1`

Mend: send at least what the message names.
""",
    Rule.MAXIMUM: """
A number is not too large.

Why: above the limit it means nothing, or doesn't fit the integer that receivers keep it in.

Mistake: `"protocolVersion": 65536`

Mend: send at most what the message names.
""",
    Rule.MIN_ITEMS: """
An array has enough items.

Why: with fewer there is nothing to do, as in a prompt without content.

Mistake: `"prompt": []`

Mend: add items, or leave an optional member out.
""",
    Rule.MAX_ITEMS: """
An array has no more items than allowed.

Why: receivers hold to one limit.

Mistake: three items where two are allowed

Mend: send fewer, or send them in several messages.
""",
    Rule.ONE_OF: """
A value fits one of several alternatives that exclude each other.

Why: with the members of two of them, peers differ in which is meant.

Mistake: an elicitation with both `sessionId` and `requestId`

Mend: leave out the members of the alternative that isn't meant.
""",
    Rule.DUPLICATE_MEMBER: """
An object names a member once.

Why: parsers keep the first or the last and say nothing, so a proxy and an agent may see two
messages. A second idempotency key is worst: they disagree on what was sent before.

Mistake: `{"idempotencyKey": "a", "idempotencyKey": "b"}`

Mend: keep one.
""",
    Rule.NEAR_MISS: """
An idempotency key is spelled and placed so that it has an effect.

Why: receivers keep members that they don't know and do nothing with them. The sender believes that
it may send the prompt again, and a second copy runs twice.

Mistake: `"idempotency_key": "..."`, or a key in `_meta`, beside `params`, or on a method that takes
none

Mend: put `idempotencyKey` into the params of a method that is keyed.
""",
    Rule.UNKNOWN_TAG: """
The member that tells what an object is has a value of the protocol, or one of your own.

Why: receivers pass over what they don't know, since later versions may add to it. A slip in the
name therefore loses the whole object, and nobody says so.

Mistake: `"sessionUpdate": "agent_message_chunks"`

Mend: correct the value, or begin it with `_` if it is your own.
""",
    Rule.UNEXPECTED_RESPONSE: """
A response answers a request that is pending.

Why: its id is all that says what it is for. One that matches no request is dropped, and the request
that was meant waits forever. A recording that begins late shows it too.

Mistake: `{"id": "1", "result": {}}` as the answer to `{"id": 1, ...}`

Mend: repeat the id of the request as it is, on the same connection, once.
""",
    Rule.DUPLICATE_ID: """
A request has an id of its own until it is answered.

Why: the id is all that says which request a response is for. Of two that wait with the same one,
nobody can tell which was answered. `acpgen trace` tells more, and makes it an error.

Mistake: a retry that repeats the id of the attempt before it

Mend: count ids up, for retries too.
""",
    Rule.BROKEN_LINE: """
A line of a transcript says who sent which message.

Why: a message without a sender can't be held to what that side may send.

Mistake: `{"message": {...}}`

Mend: write `{"from": "client", "message": {...}}` or `{"from": "agent", ...}`, one a line.
""",
}

EXPLANATIONS: Mapping[Rule, str] = {rule: docs.strip() for rule, docs in _DOCS.items()}
"""The documentation of every rule; its first line is the summary."""

WARNINGS = frozenset(
    {
        Rule.DUPLICATE_MEMBER,
        Rule.NEAR_MISS,
        Rule.UNKNOWN_TAG,
        Rule.UNEXPECTED_RESPONSE,
        Rule.DUPLICATE_ID,
    }
)
"""What is wrong with a message that its receiver accepts all the same."""
