/**
 * What is wrong with a value, and where: the judgement of `acpgen validate`.
 *
 * It walks the plan of a type, and runs only for values that the checks refuse.
 *
 * @module
 */
import { plans } from "./plans.gen.js";
import { hasPoints, matches, object } from "./values.gen.js";
import type { JsonObject } from "./values.gen.js";

/**
 * How much a fault matters: a receiver refuses an `error`, repairs what is `recovered`, and passes
 * over a `warning`.
 */
export type Severity = "error" | "recovered" | "warning";

/** The rule that a fault breaks, as `acpgen explain` knows it. */
export type Rule =
  | "required"
  | "type"
  | "const"
  | "enum"
  | "min-length"
  | "max-length"
  | "pattern"
  | "minimum"
  | "maximum"
  | "min-items"
  | "max-items"
  | "one-of"
  | "unknown-tag";

/** One thing wrong with one place. It holds nothing of the value, which may be a key. */
export interface Finding {
  readonly rule: Rule;
  readonly severity: Severity;
  /** The place as a JSON Pointer (RFC 6901) from the value down. */
  readonly pointer: string;
  /** What is wrong, such as "is missing". */
  readonly message: string;
}

type ScalarName =
  "string" | "integer" | "number" | "boolean" | "null" | "any" | `@${string}`;
type Limit = number | null;
type Scalar = readonly [
  "s",
  ScalarName,
  Limit,
  Limit,
  Limit,
  Limit,
  string | null,
];
type List = readonly ["a", Plan, Limit, Limit];
type Closed = readonly ["e", readonly (string | number)[]];
type Member = readonly [name: string, type: Plan, flags: number];
type Struct = readonly ["o", readonly Member[], readonly Plan[], Plan | null];
type Variant = readonly [value: string | null, fallback: boolean, body: Plan];
type Choice = readonly ["u", string | null, boolean, readonly Variant[]];

/** A type as its plan says it. */
export type Plan =
  | ScalarName
  | Scalar
  | List
  | Closed
  | Struct
  | Choice
  | readonly ["m", Plan]
  | readonly ["n", Plan];

export const REQUIRED = 1;
export const ON_ERROR = 2;
export const ON_NULL = 4;
export const SKIP_ITEMS = 8;

const READ = new Map<string, Plan>();

/** Returns the plan of a type by its name. */
export function planOf(name: string): Plan {
  let plan = READ.get(name);
  if (plan === undefined) {
    const text = Object.hasOwn(plans, name) ? plans[name] : undefined;
    if (text === undefined) throw new TypeError("there is no such type");
    plan = JSON.parse(text) as Plan;
    READ.set(name, plan);
  }
  return plan;
}

type Token = string | number;

interface Fault {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly path: readonly Token[];
  readonly message: string;
}

/** Returns all faults of a value of a type, the first 1,000 of each severity. */
export function faultsOf(type: string, value: unknown): Finding[] {
  return judge(`@${type}`, value).map(({ path, ...fault }) => ({
    ...fault,
    pointer: pointerOf(path),
  }));
}

function pointerOf(path: readonly Token[]): string {
  const escaped = path.map((token) =>
    String(token).replaceAll("~", "~0").replaceAll("/", "~1"),
  );
  return ["", ...escaped].join("/");
}

function fault(
  rule: Rule,
  message: string,
  path: readonly Token[] = [],
): Fault {
  return { rule, severity: "error", path, message };
}

function below(token: Token, inner: Fault): Fault {
  return { ...inner, path: [token, ...inner.path] };
}

const MOST = 1000;

function kept(faults: readonly Fault[]): Fault[] {
  if (faults.length <= MOST) return [...faults];
  const counts = { error: 0, recovered: 0, warning: 0 };
  return faults.filter(({ severity }) => ++counts[severity] <= MOST);
}

function judge(declared: Plan, value: unknown, tag?: string): Fault[] {
  let plan = declared;
  let known = tag;
  for (;;) {
    if (typeof plan === "string") {
      if (!plan.startsWith("@")) break;
      plan = planOf(plan.slice(1));
      known = undefined;
    } else if (plan[0] === "n") {
      if (value === null) return [];
      plan = plan[1];
    } else {
      break;
    }
  }
  if (plan[0] === "u") return judgeUnion(plan as Choice, value, declared);
  if (!taken(plan).has(typeOf(value))) return [mistyped(declared, value)];
  if (typeof plan === "string") return [];
  switch (plan[0]) {
    case "o":
      return judgeObject(plan, value as JsonObject, known);
    case "m":
      return judgeMembers(plan[1], value as JsonObject, [known]);
    case "a":
      return judgeArray(plan, value as readonly unknown[]);
    case "e":
      return listed(plan[1], value);
    default:
      return judgeScalar(plan as Scalar, value);
  }
}

function judgeScalar([, , ...limits]: Scalar, value: unknown): Fault[] {
  const [minLength, maxLength, minimum, maximum, pattern] = limits;
  const faults: Fault[] = [];
  if (typeof value === "string") {
    const short = !hasPoints(value, minLength ?? 0, Infinity);
    const long = !hasPoints(value, 0, maxLength ?? Infinity);
    const count = short || long ? [...value].length : 0;
    const has = `has ${counted(count, "character")}, must have`;
    if (short) {
      const least = counted(minLength ?? 0, "character");
      faults.push(fault("min-length", `${has} at least ${least}`));
    }
    if (long) {
      const most = counted(maxLength ?? 0, "character");
      faults.push(fault("max-length", `${has} at most ${most}`));
    } else if (pattern !== null && !matches(value, pattern)) {
      faults.push(fault("pattern", `does not match ${pattern}`));
    }
  } else if (typeof value === "number") {
    if (minimum !== null && value < minimum) {
      faults.push(fault("minimum", `must be at least ${minimum}`));
    }
    if (maximum !== null && value > maximum) {
      faults.push(fault("maximum", `must be at most ${maximum}`));
    }
  }
  return faults;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function judgeArray(
  [, item, least, most]: List,
  items: readonly unknown[],
): Fault[] {
  const faults: Fault[] = [];
  const has = `has ${counted(items.length, "item")}, must have`;
  if (least !== null && items.length < least) {
    const limit = counted(least, "item");
    faults.push(fault("min-items", `${has} at least ${limit}`));
  }
  if (most !== null && items.length > most) {
    const limit = counted(most, "item");
    faults.push(fault("max-items", `${has} at most ${limit}`));
  }
  items.forEach((each, index) => {
    if (faults.length > MOST * 4) return;
    for (const inner of judge(item, each)) faults.push(below(index, inner));
  });
  return kept(faults);
}

function judgeMembers(
  plan: Plan,
  value: JsonObject,
  known: readonly (string | undefined)[],
): Fault[] {
  const faults: Fault[] = [];
  for (const [name, each] of Object.entries(value)) {
    if (known.includes(name) || each === undefined) continue;
    for (const inner of judge(plan, each)) faults.push(below(name, inner));
  }
  return kept(faults);
}

function judgeObject(
  [, members, parts, additional]: Struct,
  value: JsonObject,
  tag: string | undefined,
): Fault[] {
  const faults: Fault[] = [];
  for (const [name, plan, flags] of members) {
    const given = memberOf(value, name);
    if (given === undefined) {
      if (flags & REQUIRED) {
        faults.push(fault("required", "is missing", [name]));
      }
      continue;
    }
    for (const inner of judge(plan, given)) {
      faults.push(below(name, tolerated(inner, flags, given)));
    }
  }
  for (const part of parts) faults.push(...judge(part, value));
  if (additional !== null) {
    const known = [tag, ...members.map(([name]) => name)];
    faults.push(...judgeMembers(additional, value, known));
  }
  return kept(firstOfEachPlace(faults));
}

/** Returns a member of an object itself; undefined for one that JSON would leave out. */
export function memberOf(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function tolerated(inner: Fault, flags: number, value: unknown): Fault {
  if (inner.severity !== "error") return inner;
  const skipped = flags & SKIP_ITEMS && inner.path.length > 0;
  if (skipped || flags & ON_ERROR || (flags & ON_NULL && value === null)) {
    return { ...inner, severity: "recovered" };
  }
  return inner;
}

function firstOfEachPlace(faults: readonly Fault[]): Fault[] {
  const places = new Map<string, Fault>();
  for (const each of faults) {
    const place = pointerOf(each.path);
    if (!places.has(place)) places.set(place, each);
  }
  return [...places.values()];
}

function listed(values: readonly (string | number)[], value: unknown): Fault[] {
  if (values.includes(value as string | number)) return [];
  const known = values.map((each) => JSON.stringify(each)).join(", ");
  return values.length === 1
    ? [fault("const", `must be ${known}`)]
    : [fault("enum", `must be one of ${known}`)];
}

interface Reading {
  readonly variant: Variant;
  readonly faults: readonly Fault[];
}

function judgeUnion(union: Choice, value: unknown, declared: Plan): Fault[] {
  const [, tag, exclusive, variants] = union;
  const named =
    tag !== null && object(value) ? memberOf(value, tag) : undefined;
  const known =
    typeof named === "string" && variants.some(([each]) => each === named);
  const tried: Reading[] = [];
  for (const variant of variants) {
    const [selected, fallback, body] = variant;
    if (selected !== null && selected === named) {
      tried.push({ variant, faults: judge(body, value, tag ?? undefined) });
    } else if (selected === null && !(fallback && known)) {
      tried.push({ variant, faults: judge(body, value) });
    }
  }
  const fitting = tried.filter(({ faults }) => fits(faults));
  const [chosen] = fitting;
  if (chosen !== undefined && (fitting.length === 1 || !exclusive)) {
    const odd = chosen.variant[1] ? unlistedTag(tag, named) : [];
    return [...odd, ...chosen.faults];
  }
  if (chosen !== undefined) {
    const message = `fits ${fitting.length} alternatives, and only one may fit`;
    return [fault("one-of", message)];
  }
  if (!taken(declared).has(typeOf(value))) return [mistyped(declared, value)];
  let near = tried;
  if (known) {
    near = tried.filter(({ variant: [selected] }) => selected === named);
  } else if (
    tag !== null &&
    object(value) &&
    memberOf(value, tag) === undefined
  ) {
    near = withoutTag(union, value, tag, tried);
  }
  return near.length > 0 ? nearest(near, value) : untagged(union, value);
}

/** How an object without a tag can be read: as a variant with a tag, too, if others have none. */
function withoutTag(
  [, , , variants]: Choice,
  value: unknown,
  tag: string,
  tried: readonly Reading[],
): Reading[] {
  if (tried.every(({ variant: [, fallback] }) => fallback)) return [...tried];
  const tagged = variants.filter(([selected]) => selected !== null);
  return [
    ...tried,
    ...tagged.map((variant) => ({
      variant,
      faults: [
        ...judge(variant[2], value, tag),
        fault("required", "is missing", [tag]),
      ],
    })),
  ];
}

function fits(faults: readonly Fault[]): boolean {
  return faults.every(({ severity }) => severity === "warning");
}

function unlistedTag(tag: string | null, named: unknown): Fault[] {
  if (tag === null || typeof named !== "string" || named.startsWith("_")) {
    return [];
  }
  const message = "is not a value of the protocol; receivers ignore the object";
  return [{ ...fault("unknown-tag", message, [tag]), severity: "warning" }];
}

function untagged([, tag, , variants]: Choice, value: unknown): Fault[] {
  const name = tag ?? "";
  const given = object(value) ? memberOf(value, name) : undefined;
  if (given === undefined) return [fault("required", "is missing", [name])];
  if (typeof given !== "string")
    return [below(name, mistyped("string", given))];
  const values = variants.flatMap(([each]) => (each === null ? [] : [each]));
  return listed(values, given).map((each) => below(name, each));
}

/** The faults of the variant that a value was most likely meant to be. */
function nearest(readings: readonly Reading[], value: unknown): Fault[] {
  const members = readings.map(
    ({ variant: [, , body] }) => new Map(membersOf(body)),
  );
  const given = givenMembers(value);
  const ranked = readings.map(({ faults }, index) => {
    const own = members[index] ?? new Map<string, Plan>();
    const others = members.filter((_, other) => other !== index);
    return { faults, rank: rankOf(faults, given, own, others) };
  });
  const best = ranked.reduce((first, each) =>
    isLess(each.rank, first.rank) ? each : first,
  );
  return [...best.faults];
}

function isLess(left: readonly number[], right: readonly number[]): boolean {
  for (const [index, each] of left.entries()) {
    const other = right[index] ?? 0;
    if (each !== other) return each < other;
  }
  return false;
}

type Members = ReadonlyMap<string, Plan>;

function rankOf(
  faults: readonly Fault[],
  given: ReadonlyMap<string, unknown>,
  own: Members,
  others: readonly Members[],
): number[] {
  const errors = faults.filter(({ severity }) => severity === "error");
  const names = [...given.keys()].filter((name) => own.has(name));
  const constants = names.filter((name) =>
    isConstant(own.get(name), given.get(name)),
  );
  const distinct = names.filter((name) => !others.some((o) => o.has(name)));
  const lengths = errors.map(({ path }) => path.length);
  return [
    Number(errors.length > 0),
    Number(errors.some((e) => e.path.length === 0 && e.rule === "type")),
    -constants.length,
    Number(
      errors.some(
        (e) => e.path.length === 1 && (e.rule === "const" || e.rule === "enum"),
      ),
    ),
    -distinct.length,
    -(lengths.length > 0 ? Math.min(...lengths) : 0),
    errors.filter(({ rule }) => rule === "required").length,
    faults.length,
  ];
}

function isConstant(plan: Plan | undefined, value: unknown): boolean {
  if (plan === undefined || typeof plan === "string") return false;
  return plan[0] === "e" && plan[1].length === 1 && plan[1][0] === value;
}

const ITEMS = 8;

function givenMembers(value: unknown): ReadonlyMap<string, unknown> {
  const objects = Array.isArray(value) ? value.slice(0, ITEMS) : [value];
  return new Map(
    objects.filter(object).flatMap((each) => Object.entries(each)),
  );
}

function* membersOf(plan: Plan): Generator<[string, Plan]> {
  if (typeof plan === "string") {
    if (plan.startsWith("@")) yield* membersOf(planOf(plan.slice(1)));
    return;
  }
  switch (plan[0]) {
    case "n":
    case "a":
      yield* membersOf(plan[1]);
      return;
    case "o":
      for (const [name, type] of plan[1]) yield [name, type];
      for (const part of plan[2]) yield* membersOf(part);
      return;
    case "u":
      for (const [, , body] of plan[3]) yield* membersOf(body);
  }
}

const TYPES = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  null: "null",
} as const;

type TypeOf = keyof typeof TYPES | "other";

function typeOf(value: unknown): TypeOf {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "object":
      return "object";
    default:
      return "other";
  }
}

function taken(plan: Plan): ReadonlySet<TypeOf> {
  if (typeof plan === "string") {
    if (plan.startsWith("@")) return taken(planOf(plan.slice(1)));
    return scalarTypes(plan);
  }
  switch (plan[0]) {
    case "s":
      return scalarTypes(plan[1]);
    case "e":
      return new Set(plan[1].map(typeOf));
    case "a":
      return new Set(["array"]);
    case "n":
      return new Set([...taken(plan[1]), "null"]);
    case "u":
      return new Set(
        plan[3].flatMap(([value, , body]): TypeOf[] =>
          value === null ? [...taken(body)] : ["object"],
        ),
      );
    default:
      return new Set(["object"]);
  }
}

function scalarTypes(name: ScalarName): ReadonlySet<TypeOf> {
  if (name === "any") return new Set(Object.keys(TYPES) as TypeOf[]);
  if (name === "number") return new Set(["integer", "number"]);
  return new Set([name as TypeOf]);
}

function mistyped(declared: Plan, value: unknown): Fault {
  const expected = new Set(taken(declared));
  if (expected.has("number")) expected.delete("integer");
  const names = Object.entries(TYPES)
    .filter(([type]) => expected.has(type as TypeOf))
    .map(([, name]) => name);
  const last = names.pop() ?? "";
  const type = typeOf(value);
  const actual = type === "other" ? "no JSON value" : TYPES[type];
  const shape = type === "number" ? " with a fraction or an exponent" : "";
  const wanted = names.length > 0 ? `${names.join(", ")} or ${last}` : last;
  return fault("type", `must be ${wanted}, not ${actual}${shape}`);
}
