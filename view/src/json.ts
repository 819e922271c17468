/**
 * A JSON text as lines to show, each with the pointer of its value.
 *
 * The text is never converted to values: numbers and escapes stay as they were written.
 */

export type PartKind = "name" | "string" | "number" | "word" | "mark";

export interface Part {
  kind: PartKind;
  text: string;
}

export interface Line {
  indent: number;
  parts: Part[];
  pointer: string;
  /** Whether it only closes a value. */
  closes: boolean;
}

// Controls, and what would change the direction or the place of other characters.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A text in which characters without a shape of their own are shown as JSON escapes. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The start of a text, on one line. */
export function short(text: string, length = 120): string {
  return visible(text.length > length ? `${text.slice(0, length)}…` : text);
}

class Scanner {
  private at = 0;
  constructor(private readonly text: string) {}

  peek(): string {
    while (" \t\r\n".includes(this.text[this.at] ?? "x")) this.at++;
    return this.text[this.at] ?? "";
  }

  take(mark: string): boolean {
    if (this.peek() !== mark) return false;
    this.at++;
    return true;
  }

  string(): string {
    this.peek();
    const start = this.at++;
    for (;;) {
      const quote = this.text.indexOf('"', this.at);
      if (quote < 0) throw new SyntaxError("a string without an end");
      let slashes = 0;
      while (this.text[quote - 1 - slashes] === "\\") slashes++;
      this.at = quote + 1;
      if (slashes % 2 === 0) return this.text.slice(start, this.at);
    }
  }

  word(): string {
    this.peek();
    const start = this.at;
    while (this.at < this.text.length && !" \t\r\n,:]}".includes(this.text[this.at] ?? ""))
      this.at++;
    if (start === this.at) throw new SyntaxError("no value");
    return this.text.slice(start, this.at);
  }
}

const token = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const mark = (text: string): Part => ({ kind: "mark", text });

/** The lines of a JSON text; null if it isn't JSON. */
export function lines(text: string): Line[] | null {
  const found: Line[] = [];
  const scanner = new Scanner(text);

  function value(head: Part[], indent: number, pointer: string): void {
    const first = scanner.peek();
    if (first === "{" || first === "[") {
      container(head, indent, pointer, first, first === "{" ? "}" : "]");
    } else if (first === '"') {
      push([...head, { kind: "string", text: scanner.string() }], indent, pointer);
    } else {
      const word = scanner.word();
      push(
        [...head, { kind: /^[-\d]/.test(word) ? "number" : "word", text: word }],
        indent,
        pointer,
      );
    }
  }

  function container(
    head: Part[],
    indent: number,
    pointer: string,
    open: string,
    close: string,
  ): void {
    scanner.take(open);
    if (scanner.take(close)) return push([...head, mark(open + close)], indent, pointer);
    push([...head, mark(open)], indent, pointer);
    let index = 0;
    do {
      if (open === "{") {
        const name = scanner.string();
        scanner.take(":");
        value(
          [{ kind: "name", text: name }, mark(": ")],
          indent + 1,
          `${pointer}/${token(unquoted(name))}`,
        );
      } else {
        value([], indent + 1, `${pointer}/${index++}`);
      }
      if (scanner.peek() === ",") found.at(-1)?.parts.push(mark(","));
    } while (scanner.take(","));
    if (!scanner.take(close)) throw new SyntaxError("no end");
    found.push({ indent, parts: [mark(close)], pointer, closes: true });
  }

  function push(parts: Part[], indent: number, pointer: string): void {
    found.push({ indent, parts, pointer, closes: false });
  }

  try {
    value([], 0, "");
    return scanner.peek() === "" ? found : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function unquoted(name: string): string {
  return JSON.parse(name) as string;
}

/** The pointer itself if a line has it, or else that of the nearest value around it. */
export function nearest(pointer: string, pointers: ReadonlySet<string>): string {
  let found = pointer;
  while (found && !pointers.has(found)) found = found.slice(0, found.lastIndexOf("/"));
  return found;
}
