import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/util/bytes.ts'
import { askPatiently } from '../../test/fleet/cluster/askPatiently.ts'
import { createLoggingContract, type LoggingContract } from '../../test/fleet/cluster/loggingContract.ts'
import { mineBlock } from '../../test/fleet/cluster/poolMiner.ts'
import { TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import { BitcoinPool } from '../../test/support/bitcoinPool.ts'
import { createRandom } from '../../test/support/random.ts'
import { accountOfSeed, signedTransaction } from '../../test/support/signedTransaction.ts'
import type { Generator, LoadStats } from '../load/generator.ts'
import { processorSeconds } from '../rpc/processStats.ts'
import { mix, textOf } from '../rpc/requests.ts'

/** The same load offered to a fleet, or to one node without a fleet. */
export interface OfferedLoad {
  /** 0: one node without a fleet. */
  readonly members: number
  readonly answered: number
  readonly failures: number
  readonly p99: number
  /** Processor seconds per 1,000 answers, of members and of NATS. */
  readonly ofMembers: number
  readonly ofNats: number
  /** Processor milliseconds a second without requests and blocks, of a member and of all of NATS. */
  readonly idleOfMember: number
  readonly idleOfNats: number
  readonly blocks: number
  /** Of one node without a fleet: processor seconds per 1,000 answers where it has one Nth of the rate, by N. */
  readonly ofShares: Readonly<Record<number, number>>
}

export interface OfferedLoadOptions {
  readonly members: number
  /** Numbers of members whose share of the rate one node is given alone as well. */
  readonly shares: readonly number[]
  readonly servers: number
  readonly rate: number
  readonly seconds: number
  readonly program: string
}

const REQUESTS = 2000
/** Requests of each member before it is measured: a member of many has the same code compiled as one alone. */
const WARM_UP_REQUESTS = 10_000
/** The warm-up ends with its last request. */
const LONGEST_WARM_UP = 600
const IDLE_SECONDS = 8
/** A process that has just started collects garbage for so long although nobody asks it anything. */
const SETTLE_MS = 18_000
const BLOCK_EVERY_MS = 2000
const FILTERS_PER_MEMBER = 10
/** A rate and a quota that are counted but hold nobody back. */
const KEY = { rate: 100_000, burst: 200_000, dailyQuota: 1_000_000_000 }
const CONNECTIONS = 8

/** Offers the same load to all members by turns, with blocks coming in, a quota on the key and filters polled. */
export async function offerLoad(options: OfferedLoadOptions, generator: Generator): Promise<OfferedLoad> {
  const { members, servers, rate, seconds, program, shares } = options
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-fleet-'))
  const fleet = await TestFleet.start({
    ...{ folder, program, args: ['--no-mining'] },
    members: Math.max(1, members),
    servers: members === 0 ? 0 : servers,
  })
  try {
    const random = createRandom(1)
    const contract = await createLoggingContract(fleet.members[0]?.url ?? '', random)
    await fleet.createKey('load', KEY)
    await sleep(SETTLE_MS)
    const idle = await used(fleet, () => sleep(IDLE_SECONDS * 1000))
    const asked = await sharesOf(fleet, contract)
    const file = generator.write(mix(asked, REQUESTS).map(textOf))
    const run = (of: number) =>
      onEach(fleet, (url) =>
        generator.load(url, file, { seconds, connections: CONNECTIONS, rate: of / fleet.members.length }),
      )
    const miner = new BlockMiner(fleet, contract)
    const warmUp = generator.write(mix(asked, WARM_UP_REQUESTS).map(textOf))
    await onEach(fleet, (url) =>
      generator.load(url, warmUp, { seconds: LONGEST_WARM_UP, connections: CONNECTIONS, once: true }),
    )
    let results: readonly LoadStats[] = []
    const loaded = await used(fleet, async () => {
      results = await run(rate)
    })
    const ofShares: Record<number, number> = {}
    for (const share of members === 0 ? shares : []) {
      let sum = 0
      const alone = await used(fleet, async () => {
        sum = (await run(rate / share)).reduce((total, { outcomes }) => total + outcomes.results, 0)
      })
      ofShares[share] = (alone.members * 1000) / sum
    }
    const blocks = await miner.stop()
    const answered = results.reduce((sum, { outcomes }) => sum + outcomes.results, 0)
    return {
      ...{ members, answered, blocks, ofShares },
      failures: results.reduce((sum, { failures }) => sum + failures, 0),
      p99: Math.max(...results.map(({ p99 }) => p99)),
      ofMembers: (loaded.members * 1000) / answered,
      ofNats: (loaded.nats * 1000) / answered,
      idleOfMember: (idle.members * 1000) / IDLE_SECONDS / fleet.members.length,
      idleOfNats: (idle.nats * 1000) / IDLE_SECONDS,
    }
  } finally {
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function onEach(
  { members }: TestFleet,
  load: (url: string) => Promise<LoadStats>,
): Promise<readonly LoadStats[]> {
  return Promise.all(members.map(({ url }) => load(url)))
}

/** Processor seconds that members and NATS use meanwhile. */
async function used(
  fleet: TestFleet,
  work: () => Promise<unknown>,
): Promise<{ readonly members: number; readonly nats: number }> {
  const now = () => ({
    members: sumOf(fleet.members.map(({ pid }) => pid)),
    nats: sumOf(fleet.servers?.servers.map(({ pid }) => pid) ?? []),
  })
  const before = now()
  await work()
  const after = now()
  return { members: after.members - before.members, nats: after.nats - before.nats }
}

function sumOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + processorSeconds(pid), 0)
}

/** What is asked: reads at the head, calls, logs, polls of filters of all members. */
async function sharesOf({ members }: TestFleet, { address, log }: LoggingContract) {
  const account = toHex(accountOfSeed('cow1').address)
  const filters: string[] = []
  for (const { url } of members)
    for (let index = 0; index < FILTERS_PER_MEMBER; index += 1)
      filters.push(await askPatiently<string>(url, 'eth_newFilter', [{ address }]))
  const one = (method: string, ...params: unknown[]) => [{ method, params }]
  return [
    { weight: 4, bodies: one('eth_getBalance', account, 'latest') },
    { weight: 3, bodies: one('eth_blockNumber') },
    { weight: 3, bodies: one('eth_call', { to: address, data: toHex(log) }, 'latest') },
    { weight: 2, bodies: one('eth_getBlockByNumber', 'latest', false) },
    { weight: 2, bodies: one('eth_getTransactionCount', account, 'pending') },
    { weight: 1, bodies: one('eth_getLogs', { address, fromBlock: '0x1', toBlock: 'latest' }) },
    { weight: 1, bodies: filters.map((id) => ({ method: 'eth_getFilterChanges', params: [id] })) },
  ]
}

/** Blocks with some transactions, found by a pool at one member after the other. */
class BlockMiner {
  readonly #done: Promise<number>
  #stopped = false

  constructor(fleet: TestFleet, contract: { readonly address: string; readonly log: Buffer }) {
    this.#done = this.#run(fleet, contract)
  }

  stop(): Promise<number> {
    this.#stopped = true
    return this.#done
  }

  async #run(
    { members }: TestFleet,
    { address, log }: { readonly address: string; readonly log: Buffer },
  ): Promise<number> {
    const pool = new BitcoinPool('/bench/', createRandom(2))
    const from = accountOfSeed('cow1')
    let blocks = 0
    for (let nonce = 0n; !this.#stopped; nonce += 1n) {
      const { url = '' } = members[blocks % members.length] ?? {}
      const to = Buffer.from(address.slice(2), 'hex')
      const transaction = signedTransaction({ from, nonce, to, value: 0n, data: log, gasLimit: 100_000n })
      await askPatiently(url, 'eth_sendRawTransaction', [toHex(transaction.encoded)])
      await mineBlock(url, pool)
      blocks += 1
      await sleep(BLOCK_EVERY_MS)
    }
    return blocks
  }
}
