import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from '../../src/native/crypto.ts'
import { toHex } from '../../src/util/bytes.ts'
import { TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import { Sender } from '../chain/sender.ts'
import { percentiles } from './jetStream.ts'
import type { FleetBenchOptions } from './options.ts'

/** A search of logs over a whole chain, at a node alone and at each member of a fleet. */
export interface LongSearch {
  readonly what: string
  /** How often each was asked. */
  readonly runs: number
  readonly logs: number
  readonly bytes: number
  /** SHA-256 of the answer of the node alone. */
  readonly digest: string
  /** Whether each member answered the same bytes, each time. */
  readonly isEqual: boolean
  /** Times of the first answer after the start and the median of the others, milliseconds. */
  readonly alone: SearchTimes
  /** Member after member in turn, all of whom share the search. */
  readonly shared: SearchTimes
}

interface SearchTimes {
  readonly first: number
  readonly median: number
}

/** Answers of each node, by turns. */
const RUNS = 8
/** Members share each of these searches. */
const SEARCH_ARGS = [
  '--no-mining',
  '--max-response-size',
  String(512 * 1024 * 1024),
  '--fleet-fan-out-logs',
  '20000',
]
/** Topic of a transfer of tokens, of which each block of the chain has one. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Of bench/chain/workloads.ts: each sends every hundredth transfer. Ten of them come close to the limit of a search. */
const SENDERS = Array.from({ length: 10 }, (_, index) =>
  topicOf(new Sender(`rhizome bench sender ${index}`).address),
)
/** Who gets every thousandth. */
const RECEIVER = topicOf(keccak256(Buffer.from('rhizome bench receiver 0')).subarray(0, 20))

const SEARCHES = [
  { what: 'topic: one log in a thousand blocks', topics: [TRANSFER, null, RECEIVER] },
  { what: 'topic: one log in a hundred blocks', topics: [TRANSFER, SENDERS[0]] },
  { what: 'ten topics: one log in ten blocks, close to the limit', topics: [TRANSFER, SENDERS] },
] as const

/** Searches a chain from its first block to its last at a fleet and at a node alone, each with a copy of the same data. */
export async function measureSearches(
  chain: string,
  members: number,
  { blocks, servers, program }: Pick<FleetBenchOptions, 'blocks' | 'servers' | 'program'>,
): Promise<LongSearch[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-logs-'))
  const start = (name: string, count: number, natsServers: number) => {
    for (let member = 0; member < count; member += 1)
      cpSync(chain, join(folder, name, `m${member}`), { recursive: true })
    return TestFleet.start({
      ...{ folder: join(folder, name), members: count, servers: natsServers, program },
      args: [...SEARCH_ARGS, '--response-cache', '0'],
    })
  }
  const nodes: TestFleet[] = []
  try {
    nodes.push(await start('alone', 1, 0))
    nodes.push(await start('fleet', members, servers))
    const [alone = [], fleet = []] = nodes.map((each) => each.members.map(({ url }) => url))
    const whole = { fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}` }
    const results: LongSearch[] = []
    for (const { what, topics } of SEARCHES)
      results.push(await measureSearch(what, { ...whole, topics }, alone, fleet))
    return results
  } finally {
    for (const each of nodes) await each.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureSearch(
  what: string,
  filter: object,
  alone: readonly string[],
  fleet: readonly string[],
): Promise<LongSearch> {
  const times = { alone: [] as number[], shared: [] as number[] }
  const digests = new Set<string>()
  let bytes = 0
  let logs = 0
  const ask = async (url: string, taken: number[]) => {
    const { answer, milliseconds } = await search(url, filter)
    taken.push(milliseconds)
    digests.add(createHash('sha256').update(answer).digest('hex'))
    bytes = answer.length
    logs = (JSON.parse(answer.toString()) as { result: unknown[] }).result.length
  }
  for (let run = 0; run < RUNS; run += 1) {
    await ask(alone[0] ?? '', times.alone)
    await ask(fleet[run % fleet.length] ?? '', times.shared)
  }
  const [digest = ''] = digests
  const timesOf = ([first = 0, ...others]: readonly number[]): SearchTimes => ({
    first,
    median: percentiles(others).p50,
  })
  return {
    ...{ what, runs: RUNS, logs, bytes, digest, isEqual: digests.size === 1 },
    ...{ alone: timesOf(times.alone), shared: timesOf(times.shared) },
  }
}

/** @throws Error with the answer when it is none */
async function search(url: string, filter: object): Promise<{ answer: Buffer; milliseconds: number }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] })
  const began = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const answer = Buffer.from(await response.arrayBuffer())
  const milliseconds = performance.now() - began
  if (!answer.includes('"result":[{')) throw new Error(answer.toString('utf8', 0, 300))
  return { answer, milliseconds }
}

function topicOf(address: Buffer): string {
  return toHex(Buffer.concat([Buffer.alloc(12), address]))
}
