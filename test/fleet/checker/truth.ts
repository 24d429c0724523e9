import { setTimeout as sleep } from 'node:timers/promises'
import { askAllPatiently, askPatiently } from '../cluster/askPatiently.ts'
import type { BlockEntry, HeadEntry, HistoryWriter } from './history.ts'
import { logNames } from './load.ts'
import type { AskedMember } from './recordingClient.ts'

interface RpcBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

interface RpcLog {
  readonly address: string
  readonly transactionHash: string
}

export interface TruthOptions {
  readonly writer: HistoryWriter
  /** All members, each with the path of a key that has no limits. */
  readonly members: readonly AskedMember[]
  readonly path: string
  /** The record of fleet heads since a head that the first requests may have been answered at. */
  readonly heads: readonly HeadEntry[]
  readonly transactions: Iterable<string>
  readonly blocks: Iterable<string>
}

/**
 * Writes down what is so after everything has healed: the heads with the blocks between them, and what each member has
 * of that which was acknowledged.
 */
export async function recordTruth(options: TruthOptions): Promise<void> {
  const { writer, members, path, heads, transactions, blocks } = options
  const urls = members.map(({ origin }) => `${origin}${path}`)
  for (const head of heads) writer.write(head)
  const lowest = heads.reduce((least, { number }) => Math.min(least, number), Number.POSITIVE_INFINITY)
  const known = new Set<string>()
  for (const head of heads) {
    let hash = head.hash
    // Blocks below the first head are on the chains of all, but for a reorganisation that goes deeper.
    while (!known.has(hash)) {
      const block = await blockOf(urls, hash)
      known.add(hash)
      writer.write(block)
      if (block.number <= Math.max(0, lowest - DEPTH)) break
      hash = block.parent
    }
  }
  await Promise.all(
    urls.map((url, index) =>
      recordFinals(options, url, members[index]?.member ?? 0, [...transactions], [...blocks]),
    ),
  )
}

/** Milliseconds between two looks, and looks: what was acknowledged last may take that long to become the head. */
const LOOK_MS = 100
const LOOKS = 300

/**
 * Waits until the head of each member is as high as the highest of these blocks, which pools were told that they are
 * imported; not forever, for that is judged.
 */
export async function untilHeadsReach(
  { members, path }: Pick<TruthOptions, 'members' | 'path'>,
  blocks: Iterable<string>,
): Promise<void> {
  const urls = members.map(({ origin }) => `${origin}${path}`)
  const asked = [...blocks].map((hash) => [hash, false])
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await Promise.all(
      urls.map((url) => askAllPatiently<RpcBlock | null>(url, 'eth_getBlockByHash', asked)),
    )
    const highest = Math.max(0, ...found.flat().map((block) => Number(block?.number ?? 0)))
    const heads = await Promise.all(urls.map((url) => askPatiently<string>(url, 'eth_blockNumber', [])))
    if (heads.every((head) => Number(head) >= highest)) return
    await sleep(LOOK_MS)
  }
}

async function recordFinals(
  { writer }: TruthOptions,
  url: string,
  member: number,
  transactions: readonly string[],
  blocks: readonly string[],
): Promise<void> {
  const places = await askAllPatiently<{ readonly blockHash: string | null } | null>(
    url,
    'eth_getTransactionByHash',
    transactions.map((hash) => [hash]),
  )
  transactions.forEach((hash, at) => {
    const found = places[at] ?? null
    const where = found === null ? null : (found.blockHash ?? 'pool')
    writer.write({ type: 'final', member, what: 'transaction', hash, where })
  })
  const kept = await askAllPatiently<RpcBlock | null>(
    url,
    'eth_getBlockByHash',
    blocks.map((hash) => [hash, false]),
  )
  blocks.forEach((hash, at) => {
    const found = kept[at] ?? null
    const number = found === null ? {} : { number: Number(found.number) }
    writer.write({ type: 'final', member, what: 'block', hash, where: found?.hash ?? null, ...number })
  })
}

/** Blocks below the first head that searches may ask for. */
const DEPTH = 20

/** A head that a reorganisation took away while a member was not there is with the others only. */
async function blockOf(urls: readonly string[], hash: string): Promise<BlockEntry> {
  for (const url of urls) {
    const block = await askPatiently<RpcBlock | null>(url, 'eth_getBlockByHash', [hash, false])
    if (block !== null) return blockEntry(url, block)
  }
  throw new Error(`block ${hash}, a head of the fleet, is nowhere`)
}

async function blockEntry(url: string, block: RpcBlock): Promise<BlockEntry> {
  const { hash } = block
  const logs = await askPatiently<RpcLog[]>(url, 'eth_getLogs', [{ blockHash: hash }])
  const names = logNames(logs)
  return {
    type: 'block',
    number: Number(block.number),
    hash,
    parent: block.parentHash,
    logs: logs.map(({ address, transactionHash: transaction }, at) => ({
      name: names[at] ?? '',
      address,
      transaction,
    })),
  }
}

/** The heads of a node without a fleet: its chain, which it never left. */
export async function canonicalHeads(url: string, from: number): Promise<HeadEntry[]> {
  const last = Number(await askPatiently<string>(url, 'eth_blockNumber', []))
  const heads: HeadEntry[] = []
  for (let number = from; number <= last; number += 1) {
    const tag = `0x${number.toString(16)}`
    const { hash } = await askPatiently<RpcBlock>(url, 'eth_getBlockByNumber', [tag, false])
    heads.push({ type: 'head', number, hash })
  }
  return heads
}
