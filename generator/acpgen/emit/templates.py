"""The Jinja environment that every template is rendered in."""

from __future__ import annotations

from pathlib import Path


class Templates:
    """The templates of one folder. A name that a template uses and nobody gave is an error."""

    def __init__(self, folder: Path) -> None:
        # Part of the extra `generate`: what only judges or lints does without.
        import jinja2

        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,  # noqa: S701 - the output is source text, escaped per language
        )

    def render(self, name: str, /, **context: object) -> str:
        """Render one template.

        Raises:
            jinja2.TemplateError: the template is missing, broken, or uses an unknown name.
        """
        return self._environment.get_template(name).render(**context)
