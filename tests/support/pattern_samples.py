"""Patterns and texts: written by hand, and made from a grammar with a fixed seed."""

from __future__ import annotations

from random import Random

TEXTS = (
    *("", "a", "b", "ab", "aab", "abc", "foo", "xfoox", "x", "A", "Ab", "a b", "a\n", "\n", "\r"),
    *("0", "1", "12", "\u0661\u0662", "a1", "1a", "_", "-", "a-b", "a.b", "^", "$", "\\", "]", "["),
    *("\u00e9", "\u00e9a", "\u0130", "\u017f", "\u212a", "k", " ", "\t", "\u00a0", "\ufeff"),
    *("\u0085", "\u1680", "\u180e", "\u2028", "\u2029", "\u202f", "\u3000", "\x0b", "\x1c", "\x00"),
    *("\U0001f600", "\U0001f600\U0001f601", "a\U0001f600b", "\uffff", "&", "&&", "~", "|", "/"),
    *("2024-01-31", "a@b.c", "user.name@example.org", "1.2.3-rc.1", "aaaaaaaaaaaaaaaaaaaaaa!"),
)

LEGAL = (
    *("", "a", "^$", "^a$", "a|b", "^(?:a|b)$", "^a|b$", "(a)(b)?", "^(?<word>[a-z]+)$"),
    *(r"^\d+$", r"^\D+$", r"^\w+$", r"^\W+$", r"^\s$", r"^\S$", r"^\s+$", r"^.$", r"^..$", r"^.*$"),
    *(r"\bfoo\b", r"\ba", r"a\b", r"^\b", r"^[\b]$", r"^\x41$", r"^\u0041$"),
    *(r"^\u{1F600}$", r"^\ud83d\ude00$", "^\U0001f600$", r"^[\u{1F600}-\u{1F64F}]+$", r"^\u{41}$"),
    *(r"^\cJ$", r"^\cj$", r"^\0$", r"^\t$", r"^[\n\v\f\r]$", r"^\^$", r"^\$$", r"^\/$", "^/$"),
    *(r"^[\-a]$", "^[a-]$", "^[-a]$", r"^[\]]$", r"^[\\]$", "^[[]$", "^[&]$", "^[~]$", "^[&&]$"),
    *("^[^]$", "[]", "^[^a]$", r"^[^\d]$", r"^[\s\S]$", r"^[^\s]$", r"^[\w-]+$", r"^[\d.]+$"),
    *("^a*$", "^a+$", "^a?$", "^a*?$", "^a+?$", "^a??$", "^a{2}$", "^a{1,}b$", "^a{1,2}b?$"),
    *("^(?=a)", "^(?!a)", "^(?=.*b)a", "^(?!.*b)a", "^(?:(?!b).)*$", "(?<=a)b", "(?<!a)b"),
    *("(?<=^a)b", "(?<=a|b)c", "^(?=a)ab$", "(?=b)", "(?!a)b$", "^(?:)$", "^(?:a|)$", "^()$"),
    *(r"^\d{4}-\d{2}-\d{2}$", "^[a-z]+(?:-[a-z]+)*$", r"^[^@]+@[^@.]+(?:\.[^@.]+)+$", ".*foo"),
    *("[a-z]+", "a.*", ".+", r"\s+$", r"^\s+|\s+$", "[a-z]{2,5}", "^(?:ab){2}", "(?:a|b)+c?"),
    *("^[\u00e0-\u00ff]+$", "^[^\u2028]$", "^\u2028$", "k", "^[k]$", "$", "^", "a$|^b", "$a"),
    *("^a{0}$", "^(?:a{0,2}){1}b", "^(?<$a_1>a)$", r"^\.$", r"^a\+b$", r"^\(\)$", r"^\{\}$"),
)
"""What ECMA-262 allows and acpgen can use."""

UNSUPPORTED = (
    *(r"^\p{L}+$", r"^\p{Lu}$", r"^\P{L}$", r"^[\p{L}\p{N}]$", r"\p{Script=Greek}"),
    *(r"^(a)\1$", r"^(?<q>['\x22]).*\k<q>$", r"\k<a>(?<a>b)", "(?<=a+)b", "(?<=a|bc)d"),
    *(r"\ud800", r"[\udc00]", "a{1001}", "(?<=(?=a)a)", r"(?<=\ba)", r"\B"),
)
"""What ECMA-262 allows and acpgen has not."""

SLOW = (
    *("^(a+)+$", r"^(\w+\s?)+$", "^([a-z]+-?)+[0-9]$", "^(a|a)*$", "^(a|aa)+$", "^(a*)*$"),
    *("^(a?){30}a{30}$", "^(.*)*$", "^a*a*a*$", "(x+x+)+y", "a.*b", "^(a|b|ab)*c$", "^(.*a){12}$"),
    *(
        r"^[^@]+@[^@]+\.[^@]+$",
        "^(?:a?|b?){40}c",
        "^a(?:|b?){40}$",
        "^(?:(?=.*x).)*$",
        "^(?:a+b?)+c",
    ),
    *(
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
        r"^\s*\s*$",
        "^(a+){2,}$",
        "(?:(?:(?:b?){1000}){1000}){1000}",
    ),
    *("^(?<=(?:a|a){30})b", "(?:a{1000}){1000}", "^(?:a?b?)*$", "^(?=(a+)+$)", "(?!(a*)*b)"),
    *("^(?:a{0,30}b{0,30}){0,30}$", "^(a|a|a)+$", r"^(\d+|\w+)*$", r"^(?:\w+\.?)+@", "^a*b*a*b*c$"),
)
"""What makes an engine that backtracks take for ever, or what is not proved not to."""

ILLEGAL = (
    *("(", ")", "[", "]", "{", "}", "a{", "a{1", "{1}", "*", "+a", "a**", "a{2,1}", "(?a)", "(?<a"),
    *("(?<>a)", "(?<1>a)", "(?<a>b)(?<a>c)", r"\1", r"(a)\2", r"\k<a>", r"\k", r"(?<a>b)\k<c>"),
    *("[z-a]", r"[\d-z]", r"[a-\d]", r"\-", r"\a", r"\e", r"\_", r"\ ", r"\c", r"\c1", r"[\c]"),
    *(r"\x1", r"\u12", r"\u{}", r"\u{110000}", r"\u{1", r"\u{g}", r"\00", r"\01", r"\8", "\\"),
    *(
        r"\p",
        r"\p{",
        r"\p{}",
        "(?=a)*",
        "(?!a)+",
        "^*",
        "$+",
        r"\b+",
        r"(?<=a)?",
        "(?i:a)",
        "(?#a)",
    ),
    *(
        "a{,2}",
        "a???",
        "(?>a)",
        "a++",
        r"\Z",
        r"\A",
        r"\N",
        r"\U00000041",
        "(?P<a>b)",
        "[a-z",
        "(?",
    ),
)
"""What `new RegExp(pattern, "u")` refuses."""

_ATOMS = (
    *(
        "a",
        "b",
        "-",
        ".",
        r"\d",
        r"\w",
        r"\s",
        r"\S",
        r"\W",
        "[a-c]",
        "[^a]",
        "[^\\d]",
        r"\u{1F600}",
    ),
    *(r"\.", "[\\s\\d]", "[-b]", "\u00e9", r"[\u0000-\u{10FFFF}]", r"\n", r"\xA0", "1", "[]"),
)
_EDGES = ("^", "$", r"\b")
_QUANTIFIERS = ("", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,3}?")
_GROUPS = ("(?:{})", "({})", "(?<n{n}>{})")
_LOOKS = ("(?={})", "(?!{})", "(?<={})", "(?<!{})")


def made(count: int) -> list[str]:
    """Patterns that are made from a grammar, always the same ones."""
    rng = Random("patterns")
    return [_Maker(rng).choice(3) for _ in range(count)]


class _Maker:
    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._names = 0

    def choice(self, depth: int) -> str:
        count = self._rng.choice((1, 1, 1, 2))
        return "|".join(self._sequence(depth) for _ in range(count))

    def _sequence(self, depth: int) -> str:
        return "".join(self._term(depth) for _ in range(self._rng.randint(1, 3)))

    def _term(self, depth: int) -> str:
        kind = self._rng.random()
        if kind < 0.15:
            return self._rng.choice(_EDGES)
        if kind < 0.25 and depth:
            return self._rng.choice(_LOOKS).format(self.choice(depth - 1))
        if kind < 0.5 and depth:
            self._names += 1
            group = self._rng.choice(_GROUPS).replace("{n}", str(self._names))
            atom = group.replace("{}", self.choice(depth - 1))
        else:
            atom = self._rng.choice(_ATOMS)
        return atom + self._rng.choice(_QUANTIFIERS)
