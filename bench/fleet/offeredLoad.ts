import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/util/bytes.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import { accountOfSeed, signedTransaction } from '../../test/support/signedTransaction.ts'
import type { Generator } from '../load/generator.ts'
import { mix, textOf } from '../rpc/requests.ts'
import { type NodeSet, startFleet, startPeers } from './nodeSet.ts'
import type { FleetBenchOptions } from './options.ts'

const REQUESTS = 2000
const WARM_UP_REQUESTS = 5000
const CONNECTIONS = 8
const SENDS_PER_SECOND = 5
/** A process that has just started collects garbage for so long although nobody asks it anything. */
const SETTLE_MS = 10_000
const IDLE_TIMES = 3

/** What one set of nodes did under a load. */
export interface Measured {
  readonly answered: number
  readonly failures: number
  readonly p99: number
  /** Processor seconds for 1,000 answers. */
  readonly nodes: number
  readonly nats: number
}

/** A fleet beside as many nodes that are none. */
export interface Comparison {
  readonly members: number
  readonly rate: number
  readonly pairs: readonly { readonly fleet: Measured; readonly peers: Measured }[]
}

/** Milliseconds of a processor each second that nobody asks anything; blocks come as before. */
export interface Idle {
  readonly members: number
  readonly ofMember: number
  readonly ofPeer: number
  readonly ofNats: number
}

/** Offers the same load to a fleet and to as many peers, one after the other, so many times. */
export async function compareLoads(
  { rates, pairs, seconds, ...options }: FleetBenchOptions,
  members: number,
  generator: Generator,
): Promise<readonly Comparison[]> {
  return withBoth(options, members, generator, async (fleet, peers) => {
    const file = generator.write(mix(asked(), REQUESTS).map(textOf))
    const senders = { fleet: new Sender(fleet), peers: new Sender(peers) }
    const comparisons: Comparison[] = []
    for (const rate of rates) {
      const run = (set: NodeSet, sender: Sender) => measure(set, sender, generator, file, rate, seconds)
      const measured: { fleet: Measured; peers: Measured }[] = []
      for (let pair = 0; pair < pairs; pair += 1) {
        const isFirst = pair % 2 === 0
        const ofFleet = isFirst ? await run(fleet, senders.fleet) : null
        const ofPeers = await run(peers, senders.peers)
        measured.push({ fleet: ofFleet ?? (await run(fleet, senders.fleet)), peers: ofPeers })
      }
      comparisons.push({ members, rate, pairs: measured })
    }
    return comparisons
  })
}

/** Has nobody ask a fleet and as many peers for three times as long as a load lasts: what they use then is little. */
export async function compareIdle(
  { seconds, ...options }: FleetBenchOptions,
  members: number,
  generator: Generator,
): Promise<Idle> {
  return withBoth(options, members, generator, async (fleet, peers) => {
    const before = [fleet.used(), peers.used()] as const
    await sleep(IDLE_TIMES * seconds * 1000)
    const after = [fleet.used(), peers.used()] as const
    const each = 1000 / (IDLE_TIMES * seconds)
    return {
      members,
      ofMember: ((after[0].nodes - before[0].nodes) * each) / members,
      ofPeer: ((after[1].nodes - before[1].nodes) * each) / members,
      ofNats: (after[0].nats - before[0].nats) * each,
    }
  })
}

/** Starts a fleet and as many peers, asks them all that will be asked, and waits until they are quiet. */
async function withBoth<T>(
  { servers, program }: Pick<FleetBenchOptions, 'servers' | 'program'>,
  members: number,
  generator: Generator,
  act: (fleet: NodeSet, peers: NodeSet) => Promise<T>,
): Promise<T> {
  const fleet = await startFleet(members, servers, program)
  const peers = await startPeers(members, program).catch(async (error: unknown) => {
    await fleet.close()
    throw error
  })
  try {
    const warmUp = generator.write(mix(asked(), WARM_UP_REQUESTS).map(textOf))
    for (const { urls } of [fleet, peers])
      for (const url of urls)
        await generator.load(url, warmUp, { seconds: 60, connections: CONNECTIONS, once: true })
    await sleep(SETTLE_MS)
    return await act(fleet, peers)
  } finally {
    await fleet.close()
    await peers.close()
  }
}

async function measure(
  set: NodeSet,
  sender: Sender,
  generator: Generator,
  file: string,
  rate: number,
  seconds: number,
): Promise<Measured> {
  const before = set.used()
  sender.start()
  const results = await Promise.all(
    set.urls.map((url) =>
      generator.load(url, file, { seconds, connections: CONNECTIONS, rate: rate / set.urls.length }),
    ),
  )
  await sender.stop()
  const after = set.used()
  const answered = results.reduce((sum, { outcomes }) => sum + outcomes.results, 0)
  return {
    answered,
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
    p99: Math.max(...results.map(({ p99 }) => p99)),
    nodes: ((after.nodes - before.nodes) * 1000) / answered,
    nats: ((after.nats - before.nats) * 1000) / answered,
  }
}

/** Reads at the head, of blocks, of state and of logs. */
function asked() {
  const account = toHex(accountOfSeed('cow1').address)
  const one = (method: string, ...params: unknown[]) => [{ method, params }]
  return [
    { weight: 4, bodies: one('eth_getBalance', account, 'latest') },
    { weight: 3, bodies: one('eth_blockNumber') },
    { weight: 3, bodies: one('eth_call', { to: account, data: '0x' }, 'latest') },
    { weight: 2, bodies: one('eth_getBlockByNumber', 'latest', false) },
    { weight: 2, bodies: one('eth_getTransactionCount', account, 'pending') },
    { weight: 1, bodies: one('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }) },
    { weight: 1, bodies: one('eth_gasPrice') },
  ]
}

/** Sends transactions to nodes in turn. */
class Sender {
  readonly #urls: readonly string[]
  #nonce = 0n
  #isOver = true
  #done: Promise<void> = Promise.resolve()

  constructor({ urls }: NodeSet) {
    this.#urls = urls
  }

  start(): void {
    this.#isOver = false
    this.#done = this.#run()
  }

  stop(): Promise<void> {
    this.#isOver = true
    return this.#done
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const { encoded } = signedTransaction({ nonce: this.#nonce })
      const url = this.#urls[Number(this.#nonce) % this.#urls.length] ?? ''
      this.#nonce += 1n
      await askNode(url, 'eth_sendRawTransaction', [toHex(encoded)]).catch(() => undefined)
      await sleep(1000 / SENDS_PER_SECOND)
    }
  }
}
