import type { Row, Section } from '../report/results.ts'

/** The most expensive call found of a method of the Bridge. */
export interface BridgeStats {
  readonly method: string
  /** Whether it was a local call; else a transaction, or a contract's call in one. */
  readonly local: boolean
  /** Gas cost of the method with its data. */
  readonly gas: number
  /** Processor time of the call by itself in a block, milliseconds per million gas. */
  readonly first: number
  /** The same for later calls with the same data. */
  readonly further: number
  readonly threw: boolean
  /** Scene and call. */
  readonly input: string
  /** Number of measurements. */
  readonly calls: number
}

const NOTE =
  'Milliseconds of processor time per million gas that the method costs with its data, the dearest of all calls ' +
  'that were measured: every recorded call of the scenes on a state of 5,000 outputs for each federation, 100 ' +
  'requests, 100 transactions waiting for confirmations and 100 for signatures, 4,000 processed ones, and calls ' +
  'that were thought out to be dear. "First" is a call by itself, "further" is the same once more in the block.'

/** Tables of calls in transactions, and of local calls, highest first. */
export function bridgeTables(stats: readonly BridgeStats[]): Section[] {
  const rows = (local: boolean): Row[] =>
    stats
      .filter((found) => found.local === local)
      .sort((left, right) => right.first - left.first)
      .map(({ method, gas, first, further, threw, input, calls }) => ({
        method,
        gas,
        'first, ms/Mgas': first,
        'further, ms/Mgas': further,
        input: threw ? `${input} (throws)` : input,
        calls,
      }))
  return [
    { title: 'Calls by transactions', note: NOTE, rows: rows(false) },
    { title: 'Local calls', note: 'Ended by the time limits of requests.', rows: rows(true) },
  ]
}

/** The most expensive call of each method among those of several searches. */
export function dearest(stats: readonly BridgeStats[]): BridgeStats[] {
  const found = new Map<string, BridgeStats>()
  for (const one of stats) {
    const key = `${one.method} ${one.local}`
    const known = found.get(key)
    const worst = known !== undefined && known.first >= one.first ? known : one
    found.set(key, { ...worst, calls: one.calls + (known?.calls ?? 0) })
  }
  return [...found.values()]
}
