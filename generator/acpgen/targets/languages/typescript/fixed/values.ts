/**
 * What the checks are made of: the JSON types of a decoded value, and limits.
 *
 * @module
 */

/** A JSON object. */
export type JsonObject = { readonly [member: string]: unknown };

type Check = (value: unknown) => boolean;

export function object(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function string(value: unknown): value is string {
  return typeof value === "string";
}

export function boolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function integer(value: unknown): value is number {
  return Number.isInteger(value);
}

export function number(value: unknown): value is number {
  return typeof value === "number";
}

/** An integer from `least` to `most`. */
export function integerIn(
  value: unknown,
  least: number,
  most: number,
): value is number {
  return integer(value) && least <= value && value <= most;
}

/** A number from `least` to `most`. */
export function numberIn(
  value: unknown,
  least: number,
  most: number,
): value is number {
  return number(value) && least <= value && value <= most;
}

/** A text of `least` to `most` Unicode code points. */
export function text(
  value: unknown,
  least: number,
  most: number,
): value is string {
  return string(value) && hasPoints(value, least, most);
}

/** A text that a pattern of JSON Schema matches somewhere. */
export function matching(value: unknown, pattern: string): value is string {
  return string(value) && matches(value, pattern);
}

/** An array of at least `least` and at most `most` items of one kind. */
export function array(
  value: unknown,
  item: Check,
  least: number = 0,
  most: number = Infinity,
): boolean {
  return (
    Array.isArray(value) &&
    value.length >= least &&
    value.length <= most &&
    value.every(item)
  );
}

/** An object whose members, but for those that are `listed`, are of one kind. */
export function map(
  value: unknown,
  each: Check,
  listed: readonly string[] = [],
): boolean {
  if (!object(value)) return false;
  for (const name of Object.keys(value)) {
    if (!listed.includes(name) && !each(value[name])) return false;
  }
  return true;
}

/** True for every value. */
export function anything(): boolean {
  return true;
}

/** True if exactly one of several alternatives fits. */
export function one(...fitting: readonly boolean[]): boolean {
  return fitting.filter(Boolean).length === 1;
}

/** True if an object has a member of its own, whatever its value. */
export function has(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name);
}

/** A member whose name every object inherits; undefined if it isn't there. */
export function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** True if a text has from `least` to `most` code points, which are counted only if need be. */
export function hasPoints(value: string, least: number, most: number): boolean {
  if (value.length <= most && value.length >= 2 * least - 1) return true;
  if (value.length > 2 * most) return false;
  const points = [...value].length;
  return least <= points && points <= most;
}

const PATTERNS = new Map<string, RegExp>();

/** True if a pattern matches somewhere in a text. */
export function matches(value: string, pattern: string): boolean {
  let compiled = PATTERNS.get(pattern);
  if (compiled === undefined) {
    compiled = new RegExp(pattern, "u");
    PATTERNS.set(pattern, compiled);
  }
  return compiled.test(value);
}
