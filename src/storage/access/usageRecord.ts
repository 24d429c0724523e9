import { AccessError } from './errors.ts'

/** Usage of one method. */
export interface MethodUsage {
  /** Admitted requests. */
  readonly count: number
  /** Their cost, cost units. */
  readonly cost: number
  /** Bytes of their responses. */
  readonly bytes: number
  /** Number of them that failed with an error. */
  readonly errors: number
  /** Requests refused by a limit; these are not among the admitted ones. */
  readonly refused: number
}

/** Usage of one key on one day, by method. */
export interface DayUsage {
  /** Id of the key. */
  readonly id: string
  /** Day since 1970-01-01 in the timezone of the quota. */
  readonly day: number
  readonly methods: ReadonlyMap<string, MethodUsage>
}

/** Id for the usage of requests without a key. No key may have this id. */
export const KEYLESS_ID = '-'

const DAY_BYTES = 4
const END_OF_ID = Buffer.from([0])
const FIELDS = 5

/** Key of a day's usage row: the days of an API key are adjacent. */
export function usageKey(id: string, day: number): Buffer {
  const dayBytes = Buffer.alloc(DAY_BYTES)
  dayBytes.writeUInt32BE(Math.min(Math.max(day, 0), 0xffff_ffff))
  return Buffer.concat([Buffer.from(id), END_OF_ID, dayBytes])
}

/** Id and day of a row key. */
export function parseUsageKey(key: Buffer): { readonly id: string; readonly day: number } {
  const end = key.length - DAY_BYTES
  if (end < 1) throw new AccessError('ACCESS_DAMAGED', 'the access store holds a usage row without a key')
  return { id: key.toString('utf8', 0, end - 1), day: key.readUInt32BE(end) }
}

/** The stored form of the usage of a day. */
export function encodeUsage(methods: ReadonlyMap<string, MethodUsage>): Buffer {
  return Buffer.from(JSON.stringify(encodeMethods(methods)))
}

/** Usage by method as plain data: the figures of each in a list. */
export function encodeMethods(
  methods: ReadonlyMap<string, MethodUsage>,
): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(
    [...methods].map(([method, { count, cost, bytes, errors, refused }]) => [
      method,
      [count, cost, bytes, errors, refused],
    ]),
  )
}

/** Usage by method out of that; null for anything else. */
export function decodeMethods(value: unknown): Map<string, MethodUsage> | null {
  if (typeof value !== 'object' || value === null) return null
  const methods = new Map<string, MethodUsage>()
  for (const [method, fields] of Object.entries(value)) {
    if (!isFields(fields)) return null
    const [count = 0, cost = 0, bytes = 0, errors = 0, refused = 0] = fields
    methods.set(method, { count, cost, bytes, errors, refused })
  }
  return methods
}

/**
 * The usage of a day out of its stored form.
 * @throws AccessError `ACCESS_DAMAGED`
 */
export function decodeUsage(bytes: Buffer, where: { readonly id: string; readonly day: number }) {
  const damaged = () =>
    new AccessError(
      'ACCESS_DAMAGED',
      `the usage of the key ${where.id} on ${dayText(where.day)} in the access store is unreadable`,
    )
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw damaged()
  }
  const methods = decodeMethods(value)
  if (methods === null) throw damaged()
  return methods
}

/** The sum of both. */
export function addUsage(one: MethodUsage | undefined, other: MethodUsage): MethodUsage {
  if (one === undefined) return other
  return {
    count: one.count + other.count,
    cost: one.cost + other.cost,
    bytes: one.bytes + other.bytes,
    errors: one.errors + other.errors,
    refused: one.refused + other.refused,
  }
}

/** Of each figure the larger one. */
export function maxUsage(one: MethodUsage | undefined, other: MethodUsage): MethodUsage {
  if (one === undefined) return other
  return {
    count: Math.max(one.count, other.count),
    cost: Math.max(one.cost, other.cost),
    bytes: Math.max(one.bytes, other.bytes),
    errors: Math.max(one.errors, other.errors),
    refused: Math.max(one.refused, other.refused),
  }
}

/** Of each figure of each method the larger one. */
export function mostOf(
  one: ReadonlyMap<string, MethodUsage>,
  other: ReadonlyMap<string, MethodUsage>,
): ReadonlyMap<string, MethodUsage> {
  const most = new Map(one)
  for (const [method, usage] of other) most.set(method, maxUsage(most.get(method), usage))
  return most
}

/** True when a figure of one is larger than that of what is known. */
export function exceedsUsage(
  known: ReadonlyMap<string, MethodUsage> | undefined,
  found: ReadonlyMap<string, MethodUsage>,
): boolean {
  return [...found].some(([method, usage]) => {
    const before = known?.get(method)
    const figures = Object.entries(usage) as [keyof MethodUsage, number][]
    return figures.some(([name, figure]) => figure > (before?.[name] ?? 0))
  })
}

/** Cost units of some methods. */
export function costOf(methods: ReadonlyMap<string, MethodUsage> | undefined): number {
  let cost = 0
  for (const usage of methods?.values() ?? []) cost += usage.cost
  return cost
}

/** The days of both lists, oldest first; of a day that is in both, the sums. */
export function mergeDays(one: DayUsage[], other: readonly DayUsage[]): DayUsage[] {
  if (other.length === 0) return one
  const days = new Map(one.map((usage) => [usage.day, usage]))
  for (const { id, day, methods } of other) {
    const sum = new Map(days.get(day)?.methods)
    for (const [method, usage] of methods) sum.set(method, addUsage(sum.get(method), usage))
    days.set(day, { id, day, methods: sum })
  }
  return [...days.values()].sort((a, b) => a.day - b.day)
}

/** The rest of one when the other is taken away; null when that is nothing. */
export function subtractUsage(one: MethodUsage, other: MethodUsage): MethodUsage | null {
  const left = {
    count: one.count - other.count,
    cost: one.cost - other.cost,
    bytes: one.bytes - other.bytes,
    errors: one.errors - other.errors,
    refused: one.refused - other.refused,
  }
  return Object.values(left).some((figure) => figure !== 0) ? left : null
}

/** A day as `2026-11-22`. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

function isFields(value: unknown): value is number[] {
  return (
    Array.isArray(value) && value.length === FIELDS && value.every((field) => Number.isSafeInteger(field))
  )
}
