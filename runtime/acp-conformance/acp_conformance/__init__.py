"""The kit that judges agents, clients and proxies by the requirements on idempotency keys.

`requirements` lists the requirements. `traces/` holds the scenarios as data, and `trace_runner`
plays them against an agent. `client_runs` plays `client_plans` with a client, and `proxy_traces`
judges a proxy. `verdict_report` prints the verdicts. `acpgen conform` is the command. The kit needs
the standard library only; its reference agent needs `acp_retry`, too.
"""
