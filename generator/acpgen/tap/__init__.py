"""A tap between a client and an agent: bytes pass unchanged, and copies of them are recorded.

    client  <- stdin, stdout ->  Relay  <- pipes ->  agent (a process group of its own)
                                   |
                                 copies
                                   v
                               Companion  -> the transcript
                                   |
                                   v
                                checker   -> findings, on stderr

`Relay` runs in the process that the client started. It reads no JSON unless it has to disrupt the
stream (`disruptions`), and it waits for the slower side, so its memory doesn't grow. `companion` is
a forked process in a session of its own: it survives when the tap is killed, so it finishes the
line that it writes, and kills the agent. The checker is `acpgen.cli.tap_checking`, a third process
behind a bounded queue. Nothing that takes long to import is imported here.
"""
