import type { Generator } from '../load/generator.ts'
import { ownMiB, residentMiB } from '../rpc/processStats.ts'
import { askAgain } from './ask.ts'

export interface SoakStats {
  readonly minutes: number
  /** Requests per second that were asked for. */
  readonly rate: number
  readonly failures: number
  readonly p99: number
  /** The node's own memory after each step of the soak, MiB. */
  readonly own: readonly number[]
  /** Its resident memory then, with the pages of the stores, MiB. */
  readonly resident: readonly number[]
  /** Growth of the own memory in MiB per hour over the second half, by least squares. */
  readonly growth: number
}

const STEP_SECONDS = 15
const CONNECTIONS = 64

/** Loads a node at a fixed rate for long, with a new block in each step, and follows its memory. */
export async function soak(
  node: { readonly url: string; readonly pid: number },
  generator: Generator,
  requests: string,
  rate: number,
  minutes: number,
): Promise<SoakStats> {
  const own: number[] = []
  const resident: number[] = []
  let failures = 0
  let p99 = 0
  const end = performance.now() + minutes * 60_000
  while (performance.now() < end) {
    await askAgain(node.url, 'evm_mine', [])
    const stats = await generator.load(node.url, requests, {
      seconds: STEP_SECONDS,
      connections: CONNECTIONS,
      rate,
    })
    failures += stats.failures
    p99 = Math.max(p99, stats.p99)
    own.push(ownMiB(node.pid))
    resident.push(residentMiB(node.pid))
  }
  const half = own.slice(Math.floor(own.length / 2))
  return { minutes, rate, failures, p99, own, resident, growth: slope(half) * (3600 / STEP_SECONDS) }
}

/** Rise per step of the line through the values. */
function slope(values: readonly number[]): number {
  if (values.length < 2) return 0
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const rise = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0)
  return rise / values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
}
