/**
 * Readers of values that JSON.parse returned, by the name of their type.
 *
 * @module
 */
import {
  ON_ERROR,
  ON_NULL,
  REQUIRED,
  SKIP_ITEMS,
  faultsOf,
  memberOf,
  planOf,
} from "./faults.gen.js";
import type { Finding, Plan, Rule } from "./faults.gen.js";
import { CHECKS } from "./registry.gen.js";
import { NOTIFICATIONS, REQUESTS } from "./signatures.gen.js";
import type { Notifications, Requests, Types } from "./types.gen.js";
import { hasPoints, matches, object } from "./values.gen.js";
import type { JsonObject } from "./values.gen.js";

/** A value is not of its type. It says where and why, and holds nothing of the value. */
export class Fault extends Error {
  override readonly name: string = "Fault";
  /** The rule that the value breaks, as `acpgen explain` knows it. */
  readonly rule: Rule;
  /** The place as a JSON Pointer (RFC 6901) from the value down. */
  readonly pointer: string;
  /** What is wrong there, such as "is missing". */
  readonly reason: string;

  constructor(rule: Rule, pointer: string, reason: string) {
    super(`${pointer || "the value"} ${reason}`);
    this.rule = rule;
    this.pointer = pointer;
    this.reason = reason;
  }
}

/** Returns true if a value is of a type, as a strict receiver sees it. */
export function is<Name extends keyof Types>(
  type: Name,
  value: unknown,
): value is Types[Name] {
  if (!Object.hasOwn(CHECKS, type)) {
    throw new TypeError("there is no such type");
  }
  return CHECKS[type](value);
}

/**
 * Returns the value itself if it is of a type, as a strict receiver sees it.
 *
 * @throws Fault
 */
export function parse<Name extends keyof Types>(
  type: Name,
  value: unknown,
): Types[Name] {
  if (is(type, value)) return value;
  throw faultOf(faults(type, value), ({ severity }) => severity !== "warning");
}

/**
 * Returns the value itself if it is of a type, or a copy with its malformed members replaced by
 * their defaults, where the schema lets receivers do so. The value does not change.
 *
 * @throws Fault
 */
export function read<Name extends keyof Types>(
  type: Name,
  value: unknown,
): Types[Name] {
  if (is(type, value)) return value;
  const found = faults(type, value);
  const isError = ({ severity }: Finding): boolean => severity === "error";
  if (found.some(isError)) throw faultOf(found, isError);
  const repaired = repair(`@${type}`, value);
  if (repaired === REFUSED) throw faultOf(found, () => true);
  return repaired as Types[Name];
}

/** Returns everything that is wrong with a value of a type, at most 1,000 of each severity. */
export function faults(type: keyof Types, value: unknown): Finding[] {
  try {
    return faultsOf(type, value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = "is nested too deeply";
    return [{ rule: "type", severity: "error", pointer: "", message }];
  }
}

/**
 * Reads the params of a request as {@link read} does.
 *
 * @throws Fault
 * @throws RangeError when there is no such request.
 */
export function readParams<Name extends keyof Requests>(
  method: Name,
  params: unknown,
): Requests[Name]["params"] {
  const { params: type } = rowOf(REQUESTS, method);
  return read(type, params) as Requests[Name]["params"];
}

/**
 * Reads the result of a request as {@link read} does.
 *
 * @throws Fault
 * @throws RangeError when there is no such request.
 */
export function readResult<Name extends keyof Requests>(
  method: Name,
  result: unknown,
): Requests[Name]["result"] {
  const { result: type } = rowOf(REQUESTS, method);
  return read(type, result) as Requests[Name]["result"];
}

/**
 * Reads the params of a notification as {@link read} does.
 *
 * @throws Fault
 * @throws RangeError when there is no such notification.
 */
export function readNotification<Name extends keyof Notifications>(
  method: Name,
  params: unknown,
): Notifications[Name]["params"] {
  const { params: type } = rowOf(NOTIFICATIONS, method);
  return read(type, params) as Notifications[Name]["params"];
}

function rowOf<Rows extends object, Name extends keyof Rows>(
  rows: Rows,
  method: Name,
): Rows[Name] {
  if (Object.hasOwn(rows, method)) return rows[method];
  throw new RangeError("the protocol has no such method of this kind");
}

function faultOf(
  found: readonly Finding[],
  counts: (finding: Finding) => boolean,
): Fault {
  const first = found.find(counts);
  if (first === undefined) return new Fault("type", "", "is malformed");
  return new Fault(first.rule, first.pointer, first.message);
}

const REFUSED = Symbol("refused");

/** The value as a tolerant receiver has it, or `REFUSED`. */
function repair(plan: Plan, value: unknown, skip: boolean = false): unknown {
  if (typeof plan === "string") {
    if (plan.startsWith("@")) return repair(planOf(plan.slice(1)), value, skip);
    return isScalar(plan, value) ? value : REFUSED;
  }
  switch (plan[0]) {
    case "s":
      return isScalar(plan[1], value) && isWithin(plan, value)
        ? value
        : REFUSED;
    case "e":
      return plan[1].includes(value as string) ? value : REFUSED;
    case "n":
      return value === null ? null : repair(plan[1], value, skip);
    case "a":
      return repairArray(plan, value, skip);
    case "m":
      return object(value)
        ? repairMembers(value, Object.keys(value), plan[1])
        : REFUSED;
    case "o":
      return object(value) ? repairObject(plan, value) : REFUSED;
    case "u":
      return repairUnion(plan, value);
  }
}

type Kind<Name> = Extract<Plan, readonly [Name, ...unknown[]]>;

function isScalar(name: string, value: unknown): boolean {
  if (name === "any") return true;
  if (name === "null") return value === null;
  return name === "integer" ? Number.isInteger(value) : typeof value === name;
}

function isWithin([, , ...limits]: Kind<"s">, value: unknown): boolean {
  const [minLength, maxLength, minimum, maximum, pattern] = limits;
  if (typeof value === "string") {
    return (
      hasPoints(value, minLength ?? 0, maxLength ?? Infinity) &&
      (pattern === null || matches(value, pattern))
    );
  }
  if (typeof value !== "number") return true;
  return (minimum ?? -Infinity) <= value && value <= (maximum ?? Infinity);
}

function repairArray(
  [, item, least, most]: Kind<"a">,
  value: unknown,
  skip: boolean,
): unknown {
  if (!Array.isArray(value)) return REFUSED;
  const items = value.map((each: unknown) => repair(item, each));
  const kept = skip ? items.filter((each) => each !== REFUSED) : items;
  if (kept.includes(REFUSED) || kept.length < (least ?? 0)) return REFUSED;
  if (kept.length > (most ?? Infinity)) return REFUSED;
  return kept.length === value.length &&
    kept.every((each, index) => each === value[index])
    ? value
    : kept;
}

function repairObject(
  [, members, parts, additional]: Kind<"o">,
  value: JsonObject,
): unknown {
  let read = value;
  for (const [name, plan, flags] of members) {
    const given = memberOf(value, name);
    if (given === undefined) {
      if (flags & REQUIRED) return REFUSED;
      continue;
    }
    const repaired = repairMember(plan, flags, given);
    if (repaired === REFUSED) return REFUSED;
    if (repaired !== given) read = put(read, name, repaired);
  }
  if (additional !== null) {
    const listed = new Set(members.map(([name]) => name));
    const others = Object.keys(read).filter((name) => !listed.has(name));
    const repaired = repairMembers(read, others, additional);
    if (repaired === REFUSED) return REFUSED;
    read = repaired as JsonObject;
  }
  for (const part of parts) {
    const repaired = repair(part, read);
    if (repaired === REFUSED) return REFUSED;
    read = repaired as JsonObject;
  }
  return read;
}

/** The value of a member, its default, undefined to leave it out, or `REFUSED`. */
function repairMember(plan: Plan, flags: number, value: unknown): unknown {
  const inherited = (flags & REQUIRED) === 0 ? undefined : emptyOf(plan);
  if (flags & ON_NULL && value === null) return inherited;
  const repaired = repair(plan, value, (flags & SKIP_ITEMS) !== 0);
  return repaired === REFUSED && flags & ON_ERROR ? inherited : repaired;
}

/** The default of a required member that is malformed. */
function emptyOf(plan: Plan): unknown {
  if (typeof plan === "string") {
    return plan.startsWith("@") ? emptyOf(planOf(plan.slice(1))) : REFUSED;
  }
  switch (plan[0]) {
    case "a":
      return [];
    case "n":
      return null;
    case "m":
      return {};
    case "o":
      return plan[1].length + plan[2].length === 0 ? {} : REFUSED;
    default:
      return REFUSED;
  }
}

function repairMembers(
  value: JsonObject,
  names: readonly string[],
  plan: Plan,
): unknown {
  let read = value;
  for (const name of names) {
    const repaired = repair(plan, value[name]);
    if (repaired === REFUSED) return REFUSED;
    if (repaired !== value[name]) read = put(read, name, repaired);
  }
  return read;
}

/** A copy of an object with a member replaced, or left out if the value is undefined. */
function put(from: JsonObject, name: string, value: unknown): JsonObject {
  const entries = Object.entries(from).flatMap(([each, given]) => {
    if (each !== name) return [[each, given]];
    return value === undefined ? [] : [[each, value]];
  });
  return Object.fromEntries(entries) as JsonObject;
}

function repairUnion(
  [, tag, exclusive, variants]: Kind<"u">,
  value: unknown,
): unknown {
  const named =
    tag !== null && object(value) ? memberOf(value, tag) : undefined;
  const selected =
    tag === null
      ? undefined
      : (variants.find(([each]) => each !== null && each === named) ??
        variants.find(([, fallback]) => fallback));
  const bare = variants.filter(
    ([each, fallback]) => each === null && !fallback,
  );
  const tried = selected === undefined ? bare : [selected, ...bare];
  const read = tried
    .map(([, , body]) => repair(body, value))
    .filter((each) => each !== REFUSED);
  if (exclusive && read.length > 1) return REFUSED;
  return read.length > 0 ? read[0] : REFUSED;
}
