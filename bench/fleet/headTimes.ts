import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { MemberProcess } from '../../test/fleet/cluster/memberProcess.ts'
import { mineBlock } from '../../test/fleet/cluster/poolMiner.ts'
import type { TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import { BitcoinPool } from '../../test/support/bitcoinPool.ts'
import { createRandom } from '../../test/support/random.ts'
import { percentiles } from './jetStream.ts'

/** When subscribers of each member were told of a head, milliseconds of `performance.now`. */
class HeadWatch {
  readonly times = new Map<string, number>()
  readonly #socket: WebSocket

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { params } = JSON.parse(String(data)) as { params?: { result?: { hash?: string } } }
      const hash = params?.result?.hash
      if (hash !== undefined) this.times.set(hash, performance.now())
    })
    socket.on('error', () => undefined)
  }

  static async open(member: MemberProcess): Promise<HeadWatch> {
    const socket = new WebSocket(member.url.replace('http', 'ws'))
    await once(socket, 'open')
    const watch = new HeadWatch(socket)
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    await sleep(SUBSCRIBE_MS)
    return watch
  }

  close(): void {
    this.#socket.terminate()
  }
}

const SUBSCRIBE_MS = 300
const PAUSE_MS = 150
const LOOK_MS = 5
const MOST_MS = 60_000

export interface HeadTimes {
  readonly blocks: number
  /** Between the first member and the last one, milliseconds. */
  readonly lag: { readonly p50: number; readonly p99: number }
  /** From when the solution was sent until the last member told of the head, milliseconds. */
  readonly whole: { readonly p50: number; readonly p99: number }
}

/** Makes blocks at one member after the other, and compares when each tells of the new head. */
export async function measureHeads({ members }: TestFleet, blocks: number): Promise<HeadTimes> {
  const watches = await Promise.all(members.map((member) => HeadWatch.open(member)))
  const pool = new BitcoinPool('/bench/', createRandom(3))
  const lags: number[] = []
  const whole: number[] = []
  for (let block = 0; block < blocks; block += 1) {
    const begin = performance.now()
    const hash = await mineBlock(members[block % members.length]?.url ?? '', pool)
    await until(() => watches.every(({ times }) => times.has(hash)))
    const times = watches.map((watch) => watch.times.get(hash) ?? 0)
    lags.push(Math.max(...times) - Math.min(...times))
    whole.push(Math.max(...times) - begin)
    await sleep(PAUSE_MS)
  }
  for (const watch of watches) watch.close()
  return { blocks, lag: percentiles(lags), whole: percentiles(whole) }
}

/**
 * Kills the member that has the leader's lease while a pool works with another one, again and again.
 * @returns for each the milliseconds from the kill until the others had a new head
 */
export async function measureFailovers(fleet: TestFleet, count: number): Promise<number[]> {
  const pool = new BitcoinPool('/bench/', createRandom(4))
  const results: number[] = []
  for (let failover = 0; failover < count; failover += 1) {
    const gateway = fleet.members[failover % fleet.members.length] as MemberProcess
    const others = fleet.members.filter((member) => member !== gateway)
    const watches = await Promise.all(others.map((member) => HeadWatch.open(member)))
    const begin = performance.now()
    await gateway.end('SIGKILL')
    let isOver = false
    const submit = async () => {
      while (!isOver) {
        await mineBlock(others[0]?.url ?? '', pool).catch(() => undefined)
        await sleep(PAUSE_MS)
      }
    }
    const submitting = submit()
    await until(() => watches.every(({ times }) => times.size > 0))
    results.push(Math.max(...watches.map(({ times }) => [...times.values()][0] ?? 0)) - begin)
    isOver = true
    await submitting
    for (const watch of watches) watch.close()
    await gateway.start()
    await fleet.untilReady()
  }
  return results
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + MOST_MS
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${MOST_MS} ms`)
    await sleep(LOOK_MS)
  }
}
