"""The variables of the pages on keyed prompts. Their text is in their templates."""

from __future__ import annotations

from acpgen.emit.markdown import Inline, code, text
from acpgen.model import Kind, Protocol, RetryClass
from acpgen.targets.pages.errors import error_names
from acpgen.targets.pages.examples import answer, call, instances, json_block
from acpgen.targets.pages.keys import key_range
from acpgen.targets.pages.site import PROMPT, Links

FIRST_ID, RETRY_ID = 12, 3
"""The JSON-RPC `id` of the attempt and of its retry, in example and diagram alike."""


def guide(protocol: Protocol, links: Links) -> dict[str, object]:
    """The facts and the links that the templates of these pages use.

    Raises:
        ValueError: prompts take no key, so there is nothing to explain.
    """
    prompt = protocol.method(PROMPT, Kind.REQUEST)
    if prompt is None or prompt.key is None or prompt.result is None:
        raise ValueError(f"{PROMPT} takes no idempotency key")
    names = error_names(protocol)

    def error(number: int) -> Inline:
        name = names.get(number)
        return code(str(number)) if name is None else Inline(f"{code(str(number))} ({text(name)})")

    keyed = [
        p for p in instances(protocol, prompt.params) if isinstance(p, dict) and prompt.key in p
    ]
    results = instances(protocol, prompt.result)
    return {
        "key": code(prompt.key),
        "key_name": prompt.key,
        "key_range": key_range(protocol),
        "request": json_block(call(prompt, keyed[0], FIRST_ID)) if keyed else "",
        "response": json_block(answer(results[0], RETRY_ID)) if results else "",
        "first_id": FIRST_ID,
        "retry_id": RETRY_ID,
        "classes": links.retry_classes(),
        "duplicating": links.retry_class(RetryClass.DUPLICATING),
        "error": error,
        "guide": links.guide,
        "method": links.method,
    }
