"""What makes short calls of `acpgen` start fast, and the only place with such tricks.

Editors and hooks call `acpgen validate` once for each message. Python itself starts in 0.01 s, and
judging a message takes 0.0001 s. To import Typer takes 0.1 s, the loader of schemas as long, and
`typing`, `dataclasses`, `pathlib` and `hashlib` 0.03 s together. So a short input that is valid is
accepted by modules that import none of these, and a short input of calls is explained without them.
All other input goes to `acpgen.cli.validation`, which gives the same verdicts.

The modules of this folder import each other, small modules of the standard library, and, when they
need it, the generated `acp_v2`:

- `options` declares the options of `acpgen validate` once. It reads them from a plain command line,
  and `acpgen.cli.validate` declares them to Typer from the same table.
- `accept` reads a short input and accepts it, has `explain` print what is wrong with it, or leaves
  it to the rest of acpgen. `file_names` and `judged_counts` have words that both print.
- `method_list` prints the table of `acpgen methods` into a pipe, in 0.05 s instead of 0.33 s, and
  knows which calls print a card, which needs the loader, but neither Typer nor Rich.
- `shipped` finds out whether the generated Python is that of acpgen's own schema.
- `output` gives errors of standard output its name.
- `digests` has those of files, without `hashlib`.
- `slotted_value` compares values as data classes do, and `close_names` imports `difflib` late.
- `commands` has the names and summaries of all commands, so that `acpgen --help` imports none.

Only here are imports inside functions, `os.path` instead of `pathlib`, and classes without
`dataclasses` allowed for the sake of time; `tests/test_layers.py` holds that. Elsewhere imports are
at the top of the file.
"""
