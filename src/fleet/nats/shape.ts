import { FleetError } from '../errors.ts'

/** Reads a value of JSON that came from NATS. @throws FleetError `Malformed` */
export type Reader<T> = (value: unknown) => T
export type Read<R> = R extends Reader<infer T> ? T : never
type Fields<F> = { readonly [K in keyof F]: Read<F[K]> }

/** Rule that a value has to keep. */
export function where<T>(holds: (value: unknown) => value is T): Reader<T> {
  return (value) => {
    if (holds(value)) return value
    throw malformed()
  }
}

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0
export const count = where(isCount)
export const flag = where((value) => typeof value === 'boolean')
/** Text for people and names: 128 characters at most. */
export const name = text(/^.{0,128}$/s)

/** @param pattern bounds the length as well */
export function text(pattern: RegExp): Reader<string> {
  return where((value): value is string => typeof value === 'string' && pattern.test(value))
}

export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value) => (value === null ? null : read(value))
}

export function list<T>(read: Reader<T>, most = Number.POSITIVE_INFINITY): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) throw malformed()
    return value.map(read)
  }
}

/** A list of as many values as there are readers; more are ignored. */
export function tuple<F extends readonly Reader<unknown>[]>(...readers: F): Reader<Fields<F>> {
  return (value) => {
    const items = list((item) => item)(value)
    return readers.map((read, index) => read(items[index])) as unknown as Fields<F>
  }
}

/** An object; fields that are not known are ignored. */
export function record<F extends Readonly<Record<string, Reader<unknown>>>>(fields: F): Reader<Fields<F>> {
  return (value) => {
    const known = { ...(value as Readonly<Record<string, unknown>> | null) }
    return Object.fromEntries(
      Object.entries(fields).map(([key, read]) => [key, read(known[key])]),
    ) as Fields<F>
  }
}

/** @param most bytes @throws FleetError `Malformed` */
export function parse<T>(bytes: Buffer, most: number, read: Reader<T>): T {
  if (bytes.length > most) throw malformed()
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw malformed()
  }
  return read(value)
}

/** A message as JSON: bytes are hex, numbers that JSON has not are texts. */
export function toJson(message: unknown): Buffer {
  const plainly = (_: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return value.toString()
    const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
    return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]).toString('hex') : value
  }
  return Buffer.from(JSON.stringify(message, plainly))
}

function malformed(): FleetError {
  return new FleetError('Malformed', 'a message or record of NATS does not parse')
}
