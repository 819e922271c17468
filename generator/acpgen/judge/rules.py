"""The rules for messages, with their documentation."""

from __future__ import annotations

from acpgen.findings import Severity
from acpgen.rulebook import Group, rule


@rule(Group.JUDGE)
def not_json() -> None:
    """A message is one JSON text (RFC 8259) that every parser can read.

    Why: what one parser accepts, such as NaN, text after the end or half of a character, breaks
    another. A receiver that can't read a message answers -32700, without an id.

    Example: `{"jsonrpc": "2.0", "id": NaN}`

    Fix: write it with a JSON library, in UTF-8, one message a line.
    """


@rule(Group.JUDGE)
def not_a_message() -> None:
    """A message is one JSON object that calls, answers or refuses something.

    Why: JSON-RPC 2.0 knows requests, notifications and responses, and ACP v2 has no batches.

    Example: `[{"jsonrpc": "2.0", ...}]`, or an object without `method`, `result` and `error`

    Fix: send each message on its own, with the member that shows its kind.
    """


@rule(Group.JUDGE)
def exclusive_member() -> None:
    """`method`, `result` and `error` exclude each other.

    Why: with two of them, one peer treats the message as a request or a success, and another
    doesn't.

    Example: `{"jsonrpc": "2.0", "id": 1, "result": {}, "error": null}`

    Fix: leave out the one that isn't meant. A member that is null is there.
    """


@rule(Group.JUDGE)
def unknown_method() -> None:
    """The method is one of the protocol, or an extension.

    Why: a receiver answers -32601 to a method that it doesn't know. Names that begin with `_` are
    free for extensions; a receiver that doesn't know an extension answers the same.

    Example: `"method": "session/setTitle"`

    Fix: correct the name, or begin it with `_` if it is an extension.
    """


@rule(Group.JUDGE)
def wrong_kind() -> None:
    """A request has an id, a notification has none.

    Why: the id asks for an answer. Without one a request is never answered, and a notification with
    one has no result to answer with.

    Example: `{"jsonrpc": "2.0", "id": 1, "method": "session/update", ...}`

    Fix: remove the id of a notification; give a request one of its own.
    """


@rule(Group.JUDGE)
def wrong_side() -> None:
    """A message goes to the side that handles its method.

    Why: an agent doesn't handle what a client does, and the other way round, so it answers -32601.

    Example: a client that sends `session/request_permission`

    Fix: send it from the other side; `--from` states which side sent the message.
    """


@rule(Group.JUDGE)
def required() -> None:
    """Required members are there.

    Why: a receiver can't guess them. In params it answers -32602.

    Example: `session/prompt` without `sessionId`

    Fix: add the member that the pointer names. Null does not leave a member out. Where the value is
    read as one of several variants, the message names the variant that is nearest: by constants,
    by members that only one variant has, and by how far the value fits. Equally near ones are
    named too.
    """


@rule(Group.JUDGE)
def type_() -> None:
    """A value is of the JSON type that its member has.

    Why: nothing is coerced: "7" is not a number, 1.0 is not an integer, null is not an empty list.
    A `format` such as int32 or uint64 is not checked; `minimum` and `maximum` are.

    Example: `"sessionId": 5`

    Fix: send the type that the message names.
    """


@rule(Group.JUDGE)
def const() -> None:
    """A member with one possible value has that value.

    Why: it decides what the rest of the object is, or which version of JSON-RPC is used.

    Example: `"jsonrpc": "1.0"`

    Fix: send the value that the message names.
    """


@rule(Group.JUDGE)
def enum() -> None:
    """A value is one of the listed values.

    Why: the list is closed. A receiver has no meaning for another value.

    Example: `"state": "sleeping"` where a list of states is closed

    Fix: send one of the values that the message names.
    """


@rule(Group.JUDGE)
def min_length() -> None:
    """A string is not too short.

    Why: an empty ID or key names nothing. Lengths count Unicode code points, not bytes.

    Example: `"idempotencyKey": ""`

    Fix: send a longer string, or leave an optional member out.
    """


@rule(Group.JUDGE)
def max_length() -> None:
    """A string is not too long.

    Why: receivers store it, so they hold to one limit. Lengths count Unicode code points, not
    bytes.

    Example: an `idempotencyKey` of 256 characters

    Fix: send a shorter string; a UUID is enough for a key.
    """


@rule(Group.JUDGE)
def pattern() -> None:
    """A string matches the pattern of its type.

    Why: another string has no meaning there.

    Example: a string with a space where the pattern has no place for one

    Fix: compare it with the pattern that the message names.
    """


@rule(Group.JUDGE)
def minimum() -> None:
    """A number is not too small.

    Why: below the limit it means nothing, as a negative size does, or doesn't fit the integer type
    of receivers. Only `minimum` is checked: an integer whose `format` is uint32 has no lower limit
    unless the schema states one.

    Example: `"used": -1`

    Fix: send at least what the message names.
    """


@rule(Group.JUDGE)
def maximum() -> None:
    """A number is not too large.

    Why: above the limit it means nothing, or doesn't fit the integer type of receivers. Only
    `maximum` is checked: an integer whose `format` is int32 or uint64 has no upper limit unless the
    schema states one.

    Example: `"protocolVersion": 65536`

    Fix: send at most what the message names.
    """


@rule(Group.JUDGE)
def min_items() -> None:
    """An array has enough items.

    Why: with fewer there is nothing to do, as in a prompt without content.

    Example: `"prompt": []`

    Fix: add items, or leave an optional member out.
    """


@rule(Group.JUDGE)
def max_items() -> None:
    """An array has no more items than allowed.

    Why: receivers hold to one limit.

    Example: three items where two are allowed

    Fix: send fewer, or send them in several messages.
    """


@rule(Group.JUDGE)
def one_of() -> None:
    """A value fits one of several alternatives that exclude each other.

    Why: with the members of two of them, peers differ in which is meant.

    Example: an elicitation with both `sessionId` and `requestId`

    Fix: leave out the members of the alternative that isn't meant.
    """


@rule(Group.JUDGE, Severity.WARNING)
def duplicate_member() -> None:
    """An object names a member once.

    Why: parsers keep the first or the last without a warning, so a proxy and an agent may see two
    messages. A second idempotency key is worst: they disagree on what was sent before. In input of
    1 MB or more, acpgen looks for it only in messages with another finding, and where it may be the
    key.

    Example: `{"idempotencyKey": "a", "idempotencyKey": "b"}`

    Fix: keep one.
    """


@rule(Group.JUDGE, Severity.WARNING)
def near_miss() -> None:
    """An idempotency key is spelled and placed so that it has an effect.

    Why: receivers ignore members that they don't know. The sender believes that it may send the
    prompt again, and a second copy runs twice.

    Example: `"idempotency_key": "..."`, or a key in `_meta`, beside `params`, or on a method that
    takes no key

    Fix: put `idempotencyKey` into the params of a method that is keyed.
    """


@rule(Group.JUDGE, Severity.WARNING)
def unknown_tag() -> None:
    """The member that decides what an object is has a value of the protocol, or one of your own.

    Why: receivers ignore an object whose tag they don't know, since later versions may add some. A
    slip in the name, or a value of an earlier version, therefore loses the whole object without an
    error. The rule reports each value that the schema does not list and that has no `_` in front.

    Example: `"sessionUpdate": "agent_message_chunks"`, or `"sessionUpdate": "tool_call"` of v1

    Fix: correct the value, or begin it with `_` if it is your own.
    """


@rule(Group.JUDGE)
def former_shape() -> None:
    """An `initialize`, or its answer, has the members of the version that it names.

    Why: the peer reads the members of that version only. It finds neither the name nor the
    capabilities of the sender, and treats them as missing.

    Example: `{"protocolVersion": 2, "agentCapabilities": {...}}`

    Fix: name version 1, or rename the members: `agentCapabilities` and `clientCapabilities` are
    `capabilities` since version 2, `agentInfo` and `clientInfo` are `info`.
    """


@rule(Group.JUDGE, Severity.WARNING)
def former_member() -> None:
    """Params and results have no members that only version 1 has.

    Why: receivers ignore members that they don't know. What the sender states with them is lost
    without an error, such as its capabilities, the modes of a session or why a prompt ended.

    Example: `"clientCapabilities": {...}` beside `info`, `modes` in the result of `session/new`, or
    `stopReason` in that of `session/prompt`

    Fix: send what the message says that version 2 has instead, and leave out the old member.
    """


@rule(Group.JUDGE, Severity.WARNING)
def unexpected_response() -> None:
    """A response answers a pending request.

    Why: only its id shows which request it answers. A response that matches no request is dropped,
    and the request that was meant waits forever. A recording that begins late has such responses
    too.

    Example: `{"id": "1", "result": {}}` as the answer to `{"id": 1, ...}`

    Fix: repeat the id of the request as it is, on the same connection, once. A number stays a
    number: the message names the pending request that differs only in this.
    """


@rule(Group.JUDGE, Severity.WARNING)
def duplicate_id() -> None:
    """No two pending requests of one sender have the same id.

    Why: only the id shows which request a response answers. If two requests are pending with one
    id, no peer can decide which was answered. `acpgen trace` reports this as an error, in detail.

    Example: a retry that repeats the id of the attempt before it

    Fix: count ids up, for retries too.
    """


@rule(Group.JUDGE)
def broken_line() -> None:
    """A line of a transcript has a message and its sender.

    Why: without a sender, it can't be checked whether that side may send the message.

    Example: `{"message": {...}}`

    Fix: write `{"from": "client", "message": {...}}` or `{"from": "agent", ...}`, one a line.
    """


@rule(Group.JUDGE, Severity.NOTE)
def more_findings() -> None:
    """A message has at most 1,000 findings of each severity, or as many as `--max-findings` says.

    Why: a message of 2 MB can have a million faults, and its sender need not be trusted. The others
    aren't listed. The verdict and the error are those of the whole message.

    Example: an array of a million numbers where strings are due

    Fix: correct the findings that are listed, and judge the message again. `--max-findings` lists
    more of them.
    """
