import type { Answer, ListedDifference, Pair } from './differences.ts'

/** Where the reference's traces are plainly wrong this node has the right value (decisions.md D47). */

type Members = Record<string, unknown>

/** Takes one kind of correction out of the same part of both answers. Says whether it found any. */
type Correction = (expected: Members, found: Members, level: number, pair: Pair) => boolean

const JAVA_ERROR = /^(class )?(org\.ethereum|java\.lang|co\.rsk)\.\S+: /

const CORRECTIONS: readonly {
  readonly methods: string
  readonly what: string
  readonly correction: Correction
}[] = [
  {
    methods: 'trace_*',
    what: "each sub-call has its own `input`, not the transaction's",
    correction: ({ action: expected, traceAddress }, { action: found }) => {
      if (!isMembers(expected) || !isMembers(found) || !isSubCall(traceAddress)) return false
      return takeOut('input', expected, found)
    },
  },
  {
    methods: 'trace_*, callTracer',
    what: 'the call of the transaction has its return data as `output`, and in callTracer its `revertReason`',
    correction: (expected, found, level) => {
      const [inner, other] = isAction(expected) ? [expected['result'], found['result']] : [expected, found]
      const isTop = isAction(expected)
        ? !isSubCall(expected['traceAddress'])
        : isFrame(expected) && level === 0
      if (!isTop || !isMembers(inner) || !isMembers(other)) return false
      if (inner['output'] !== '0x' && inner['output'] !== '0x0') return false
      if (expected['type'] === 'CREATE') return false
      const reason = takeOut('revertReason', inner, other)
      return takeOut('output', inner, other) || reason
    },
  },
  {
    methods: 'callTracer',
    what: '`output` is the returned data with its leading zeros, `0x` when empty',
    correction: (expected, found) => {
      if (!isFrame(expected) || expected['type'] === 'CREATE') return false
      const { output } = found
      if (typeof output !== 'string' || expected['output'] !== toQuantity(output)) return false
      return takeOut('output', expected, found)
    },
  },
  {
    methods: 'callTracer',
    what: 'a creation has the new address as `to` and the code as `output`, a failed one neither',
    correction: (expected, found) => {
      if (!isFrame(expected) || expected['type'] !== 'CREATE') return false
      const failed = typeof expected['error'] === 'string'
      if (failed ? 'to' in found : found['to'] !== expected['output']) return false
      delete found['to']
      return takeOut('output', expected, found)
    },
  },
  {
    methods: 'trace_*, debug_trace*',
    what: "error messages are those of Parity's traces and geth's tracers, without Java class names",
    correction: (expected, found) => {
      const { error } = expected
      if (typeof error !== 'string' || !JAVA_ERROR.test(error)) return false
      if (typeof found['error'] !== 'string' || found['error'] === '') return false
      return takeOut('error', expected, found)
    },
  },
  {
    methods: 'callTracer',
    what: 'SELFDESTRUCT is named so, with the beneficiary and the balance',
    correction: (expected, found) => {
      if (expected['type'] !== 'NONE' || found['type'] !== 'SELFDESTRUCT') return false
      for (const key of Object.keys(found)) if (key !== 'from') delete found[key]
      delete expected['type']
      return true
    },
  },
  {
    methods: 'trace_*, callTracer',
    what: "the `gas` of a transaction's own call is its limit, also where no code runs",
    correction: (expected, found, level) => {
      const isTop = isAction(expected)
        ? !isSubCall(expected['traceAddress'])
        : isFrame(expected) && level === 0
      const [inner, other] = isAction(expected) ? [expected['action'], found['action']] : [expected, found]
      if (!isTop || !isMembers(inner) || !isMembers(other) || inner['gas'] !== '0x0') return false
      return takeOut('gas', inner, other)
    },
  },
  {
    methods: 'callTracer',
    what: 'logs have their `position`, the number of calls before them',
    correction: (expected, found) => {
      const logs = isFrame(expected) ? found['logs'] : undefined
      if (!Array.isArray(logs)) return false
      for (const log of logs) if (isMembers(log)) delete log['position']
      return true
    },
  },
  {
    methods: 'trace_block',
    what: 'the calls of a side block have the hash and number of that block',
    correction: (expected, found, _level, { method, params }) => {
      if (method !== 'trace_block' || !isAction(expected) || found['blockHash'] !== params[0]) return false
      return takeOut('blockHash', expected, found)
    },
  },
]

/** One row for each correction; a pair is listed when nothing but corrections tells the answers apart. */
export const TRACE_CORRECTIONS: readonly ListedDifference[] = CORRECTIONS.map(
  ({ methods, what, correction }) => ({
    methods,
    topic: 'traces',
    what,
    why: 'decisions.md D47: the right value, as geth and Parity define it',
    applies: (pair) => {
      if (!/^(debug_trace|trace_)/.test(pair.method)) return false
      if (pair.expected.result === undefined || pair.found.result === undefined) return false
      const expected = structuredClone(pair.expected)
      const found = structuredClone(pair.found)
      const used = correct(expected, found, pair)
      return used.has(correction) && JSON.stringify(expected) === JSON.stringify(found)
    },
  }),
)

function correct(expected: Answer, found: Answer, pair: Pair): ReadonlySet<Correction> {
  const used = new Set<Correction>()
  const walk = (one: unknown, other: unknown, level: number): void => {
    if (Array.isArray(one) && Array.isArray(other)) {
      for (const [index, item] of one.entries()) walk(item, other[index], level)
      return
    }
    if (!isMembers(one) || !isMembers(other)) return
    for (const { correction } of CORRECTIONS) if (correction(one, other, level, pair)) used.add(correction)
    walk(one['calls'], other['calls'], level + 1)
    if ('txHash' in one) walk(one['result'], other['result'], level)
  }
  walk(expected.result, found.result, 0)
  return used
}

/** Deletes a member of both; whether they differed in it. */
function takeOut(key: string, expected: Members, found: Members): boolean {
  const differ = expected[key] !== found[key]
  if (differ) {
    delete expected[key]
    delete found[key]
  }
  return differ
}

function toQuantity(data: string): string {
  return data === '0x' ? '0x0' : `0x${BigInt(data).toString(16)}`
}

function isSubCall(traceAddress: unknown): boolean {
  return Array.isArray(traceAddress) && traceAddress.length > 0
}

function isAction(element: Members): boolean {
  return 'traceAddress' in element
}

function isFrame(element: Members): boolean {
  return 'type' in element && 'gasUsed' in element && !isAction(element)
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
