"""Does an agent, or a client, keep the rules of idempotency keys? A verdict for each requirement.

`requirements` lists what is asked, `traces/` are the scenarios as data, `runner` plays them against
an agent, `clients` plays `plans` with a client, `report` prints what came of it. `acpgen conform`
is the command. Needs the standard library and `acp_retry`.
"""
