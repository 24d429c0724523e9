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

/** A search of logs at one node, or at a fleet of several. */
export interface LongSearch {
  readonly members: number
  readonly what: string
  readonly milliseconds: number
  readonly bytes: number
  /** SHA-256 of the answer. */
  readonly digest: string
}

const RUNS = 5
const RESPONSE_BYTES = String(512 * 1024 * 1024)
/** Topic of a transfer of tokens, of which each block of the chain has one. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Who sends every hundredth of them, and who gets every thousandth (bench/chain/workloads.ts). */
const SENDER = topicOf(new Sender('rhizome bench sender 0').address)
const RECEIVER = topicOf(keccak256(Buffer.from('rhizome bench receiver 0')).subarray(0, 20))

/** Searches a chain from its first block to its last with copies of the same data: median of some runs. */
export async function measureSearches(
  chain: string,
  members: number,
  { blocks, servers, program }: Pick<FleetBenchOptions, 'blocks' | 'servers' | 'program'>,
): Promise<LongSearch[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-logs-'))
  const count = Math.max(1, members)
  for (let member = 0; member < count; member += 1)
    cpSync(chain, join(folder, `m${member}`), { recursive: true })
  const fleet = await TestFleet.start({
    ...{ folder, members: count, servers: members === 0 ? 0 : servers, program },
    args: ['--no-mining', '--max-response-size', RESPONSE_BYTES, '--response-cache', '0'],
  })
  try {
    const url = fleet.members[0]?.url ?? ''
    const whole = { fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}` }
    const searches = [
      { what: 'one log in a hundred', params: { ...whole, topics: [TRANSFER, SENDER] } },
      { what: 'one log in a thousand', params: { ...whole, topics: [TRANSFER, null, RECEIVER] } },
    ]
    const results: LongSearch[] = []
    for (const { what, params } of searches) {
      const times: number[] = []
      let answer = Buffer.alloc(0)
      for (let run = 0; run < RUNS; run += 1) {
        const begin = performance.now()
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [params] }),
        })
        answer = Buffer.from(await response.arrayBuffer())
        times.push(performance.now() - begin)
      }
      if (!answer.includes('"result":[')) throw new Error(answer.toString('utf8', 0, 300))
      const digest = createHash('sha256').update(answer).digest('hex').slice(0, 16)
      results.push({ members, what, milliseconds: percentiles(times).p50, bytes: answer.length, digest })
    }
    return results
  } finally {
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function topicOf(address: Buffer): string {
  return toHex(Buffer.concat([Buffer.alloc(12), address]))
}
