"""Logs as editors, agents and tools write them, read as a stream of messages.

`read` takes the lines of any log and returns a `Log`. It looks at what the lines hold, not for
products: messages one a line, transcripts, pretty-printed values, arrays, messages inside other
objects (also as text), messages behind a prefix, HAR files with `_webSocketMessages` or HTTP
bodies, server-sent events, `Content-Length` frames, and lines of other output in between.

    log = read(lines_of(file), hints=Hints(), callers=lambda: callers_of(protocol.methods))
    for message in log.messages(guess=True):
        message.text, message.sender, message.connection, message.line, message.time
    log.reading()       # "read as lines with a prefix: 20 messages, 1 line of other output ..."

- `LogMessage.text` is the text of one message as the log has it, which may be broken JSON.
- `sender` is `client`, `agent` or `proxy`. It is None where the log doesn't show it and it can't be
  inferred from the method or the request that a response answers; `guess=True` then takes the most
  likely side, and `log.guessed` counts these messages.
- `connection` is what the log calls the connection, or "" where it names none.
- `line` is the 1-based line on which the message starts; `time` is the time as the log has it.

The log is read as it comes, and at most `limit` bytes of one line or one value are held. `lines_of`
also decodes UTF-16 and byte order marks. Logs in the two shapes that acpgen writes itself (messages
one a line, and transcripts) have `log.canonical`, the lines that `acpgen.judge.stream` reads fast.

`expanded` lists the files in folders and those that match patterns, as `acpgen validate` does.
`fenced` yields the lines of the JSON in a Markdown page, and `Values` the values of any lines.

Raises `InputError` (of `acpgen.judge.inputs`) where no line is a message: the text names the first
line that is not understood, and the options that say where the messages are.
"""

from __future__ import annotations

from acpgen.logs.hints import SHAPES, Hints
from acpgen.logs.log import Log, read
from acpgen.logs.log_files import expanded
from acpgen.logs.log_lines import LINE_LIMIT, lines_of
from acpgen.logs.log_message import LogMessage
from acpgen.logs.markdown_log import fenced, is_markdown
from acpgen.logs.senders import callers_of
from acpgen.logs.transcripts import transcript_line
from acpgen.logs.unit import Unit
from acpgen.logs.values import Values

__all__ = [
    "LINE_LIMIT",
    "SHAPES",
    "Hints",
    "Log",
    "LogMessage",
    "Unit",
    "Values",
    "callers_of",
    "expanded",
    "fenced",
    "is_markdown",
    "lines_of",
    "read",
    "transcript_line",
]
