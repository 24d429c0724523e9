import { Session } from 'node:inspector'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { addon } from '../../src/native/addon.ts'
import { ScriptedLibrary } from './scriptedLibrary.ts'

/** A kind of request that is counted. */
export interface Subject {
  readonly name: string
  /** Where it is sent. */
  readonly library: ScriptedLibrary
  /** Sends the next one. */
  readonly send: () => void
  /** Requests in a turn of the event loop. */
  readonly perTurn: number
}

/** What one request costs. */
export interface Cost {
  /** Functions that are called, by the file that they are in; those of Node.js under `node`. */
  readonly functions: Readonly<Record<string, number>>
  /** Calls into the socket library, by their name. */
  readonly library: Readonly<Record<string, number>>
  /** Calls into the native core, by their name. */
  readonly addon: Readonly<Record<string, number>>
}

/** The same in optimised code. */
export interface Bytes {
  /** Of the heap of V8. */
  readonly heap: number
  /** Of ArrayBuffers outside of it. */
  readonly buffers: number
}

/** Requests before anything is counted, and those that are. One in 16 is timed, so it is a multiple of that. */
const WARM_UP = 3200
const COUNTED = 1600
/** Requests until the code of a kind is optimised, and those between two looks at the memory: 10⁵ in all. */
const WARM_UP_OPTIMISED = 8000
const PART = 1600
const PARTS = 64
/** Requests that are timed in a round, and rounds. */
const TIMED = 16_000
const ROUNDS = 5

/** The folder that paths of files are below. */
const ROOT = new URL('../../', import.meta.url).href
/** Files of the measurement itself. */
const OWN = 'test/guard/'

/** Calls by the name of what is called. */
export type CallCounts = Record<string, number>

type Callable = (...values: unknown[]) => unknown

/**
 * Counts the calls of every function and method of the native core from now on, and of the functions that these make.
 * To be called before anything else is opened.
 */
export function watchAddon(): CallCounts {
  const calls: CallCounts = {}
  const counted = (before: Callable, label: string): Callable => {
    calls[label] = 0
    return function (this: unknown, ...values: unknown[]) {
      calls[label] = (calls[label] ?? 0) + 1
      const result: unknown = Reflect.apply(before, this, values)
      return typeof result === 'function' ? counted(result as Callable, `result of ${label}`) : result
    }
  }
  const watch = (owner: object, name: string, label: string) => {
    const before: unknown = Reflect.get(owner, name)
    if (typeof before === 'function') Reflect.set(owner, name, counted(before as Callable, label))
  }
  for (const name of Object.keys(addon)) {
    const value: unknown = Reflect.get(addon, name)
    if (typeof value !== 'function') continue
    const prototype: unknown = value.prototype
    const methods = prototype instanceof Object ? Object.getOwnPropertyNames(prototype) : []
    const isClass = methods.length > 1
    if (!isClass) watch(addon, name, name)
    else
      for (const method of methods) {
        const property = Object.getOwnPropertyDescriptor(prototype, method)
        if (method !== 'constructor' && property?.writable === true)
          watch(prototype as object, method, `${name}.${method}`)
      }
  }
  return calls
}

/** Counts functions and calls of each kind. Nothing is optimised meanwhile. @param natives of {@link watchAddon} */
export async function countCalls(
  subjects: readonly Subject[],
  natives: CallCounts,
): Promise<Map<string, Cost>> {
  const session = new Session()
  session.connect()
  const post = <T>(method: string, parameters: object = {}) =>
    new Promise<T>((resolve, reject) => {
      session.post(method, parameters, (error, result) =>
        error === null ? resolve(result as T) : reject(error),
      )
    })
  await post('Profiler.enable')
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const functionsOf = async (action: () => Promise<void>) => {
    await post('Profiler.takePreciseCoverage')
    await action()
    return sumByFile(await post<Coverage>('Profiler.takePreciseCoverage'))
  }
  const costs = new Map<string, Cost>()
  for (const subject of subjects) {
    const { name, library, send, perTurn } = subject
    await turns(perTurn, WARM_UP, send)
    assertAnswered(subject)
    const count = perTurn === 1 ? COUNTED / 16 : COUNTED
    const idle = await functionsOf(() => turns(perTurn, count, () => undefined))
    const [libraryBefore, nativeBefore] = [{ ...library.calls }, { ...natives }]
    const busy = await functionsOf(() => turns(perTurn, count, send))
    const per = (after: Record<string, number>, before: Record<string, number>) =>
      ratesOf(after, before, count)
    costs.set(name, {
      functions: per(busy, idle),
      library: per(library.calls, libraryBefore),
      addon: per(natives, nativeBefore),
    })
  }
  session.disconnect()
  return costs
}

/**
 * Measures the bytes that each kind allocates, under the options of `BYTES_FLAGS`.
 * @throws Error when a collection of garbage takes place meanwhile
 */
export async function countBytes(subjects: readonly Subject[]): Promise<Map<string, Bytes>> {
  const neverOptimise = new Function('code', '%NeverOptimizeFunction(code)') as (code: unknown) => void
  for (const code of ScriptedLibrary.functions) neverOptimise(code)
  // All of them before any is measured: what is called with objects of one kind only is compiled for that kind.
  for (const { perTurn, send } of subjects) await turns(perTurn, WARM_UP, send)
  const costs = new Map<string, Bytes>()
  for (const subject of subjects) {
    const { name, send, perTurn } = subject
    await turns(perTurn, WARM_UP_OPTIMISED, send)
    assertAnswered(subject)
    globalThis.gc?.()
    const part = perTurn === 1 ? PART / 4 : PART
    const idle = await partsOf(() => turns(perTurn, part, () => undefined))
    const busy = await partsOf(() => turns(perTurn, part, send))
    const per = (of: (bytes: Bytes) => number) =>
      round((medianOf(busy.map(of)) - medianOf(idle.map(of))) / part)
    costs.set(name, { heap: per(({ heap }) => heap), buffers: per(({ buffers }) => buffers) })
  }
  return costs
}

/** Nanoseconds of processor time of this thread that each kind takes, the least of some rounds. */
export async function countTime(subjects: readonly Subject[]): Promise<Map<string, number>> {
  for (const { perTurn, send } of subjects) await turns(perTurn, WARM_UP, send)
  const least = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, perTurn, send } of subjects) {
      await turns(perTurn, WARM_UP_OPTIMISED, send)
      const idle = await timeOf(() => turns(perTurn, TIMED, () => undefined))
      const busy = await timeOf(() => turns(perTurn, TIMED, send))
      const own = Math.round((1000 * (busy - idle)) / TIMED)
      least.set(name, Math.min(own, least.get(name) ?? own))
    }
  }
  return least
}

/** Microseconds of processor time. */
async function timeOf(action: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

/** Sends requests, so many in each turn of the event loop. */
async function turns(perTurn: number, requests: number, send: () => void): Promise<void> {
  for (let sent = 0; sent < requests; sent += perTurn) {
    for (let place = 0; place < perTurn; place += 1) send()
    await nextTurn()
  }
}

/**
 * Bytes that are allocated by each of many parts: what counts of them is the median. V8 counts a page of its young
 * objects, and what it optimises, in one part of them.
 */
async function partsOf(action: () => Promise<void>): Promise<Bytes[]> {
  const parts: Bytes[] = []
  let before = process.memoryUsage()
  while (parts.length < PARTS) {
    await action()
    const after = process.memoryUsage()
    const heap = after.heapUsed - before.heapUsed
    if (heap < 0) throw new Error('there was a collection of garbage')
    parts.push({ heap, buffers: after.arrayBuffers - before.arrayBuffers })
    before = after
  }
  return parts
}

function assertAnswered({ name, library }: Subject): void {
  const answer = library.lastAnswer
  if (!answer.includes('"result":') || answer.includes('"error":')) throw new Error(`${name}: ${answer}`)
}

function sumByFile({ result }: Coverage): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { url, functions } of result) {
    const path = url.startsWith(ROOT) ? url.slice(ROOT.length) : url
    if (path.startsWith(OWN) || path === '') continue
    const file = path.startsWith('node:') ? 'node' : path
    for (const { ranges } of functions) sums[file] = (sums[file] ?? 0) + (ranges[0]?.count ?? 0)
  }
  return sums
}

function ratesOf(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
  requests: number,
): Record<string, number> {
  const rates = Object.keys(after).map(
    (name) => [name, round(((after[name] ?? 0) - (before[name] ?? 0)) / requests)] as const,
  )
  return Object.fromEntries(
    rates.filter(([, rate]) => rate !== 0).sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
