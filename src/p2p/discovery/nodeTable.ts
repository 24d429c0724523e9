import { blockOf, scopeOf } from './addressBlock.ts'
import { distance, HASH_BITS } from './distance.ts'
import type { KnownNode } from './knownNode.ts'

/** Nodes of a bucket (p2p.md §1). */
export const BUCKET_SIZE = 16
/** Most nodes of one block of addresses in a bucket, and in all of them. */
export const BLOCK_LIMITS = { bucket: 2, table: 10 } as const

/** What became of a node that was offered: `full` names the node whose place it could have. */
export type InsertResult =
  | { readonly status: 'added' | 'limited' | 'own' }
  | { readonly status: 'full'; readonly oldest: KnownNode }

export interface NodeTableOptions {
  /** {@link placeOf} the own id. */
  readonly ownPlace: Buffer
  /** Whether addresses of this machine and of local networks are not counted by blocks. */
  readonly exemptsLocal: boolean
}

/**
 * Nodes by their distance: 256 buckets of 16. Blocks of addresses are bounded, so that whoever has many addresses in
 * few networks cannot fill it.
 */
export class NodeTable {
  readonly #options: NodeTableOptions
  /** Oldest first. */
  readonly #buckets: KnownNode[][] = Array.from({ length: HASH_BITS }, () => [])
  readonly #nodes = new Map<string, KnownNode>()
  /** Nodes of each block, and of each address. */
  readonly #blocks = new Map<string, number>()
  readonly #addresses = new Map<string, number>()

  constructor(options: NodeTableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#nodes.size
  }

  get(id: string): KnownNode | undefined {
    return this.#nodes.get(id)
  }

  hasAddress(address: string): boolean {
    return this.#addresses.has(address)
  }

  nodes(): KnownNode[] {
    return [...this.#nodes.values()]
  }

  /** Takes a node that is not in the table, where its bucket and its block of addresses have room. */
  insert(node: KnownNode): InsertResult {
    const away = distance(this.#options.ownPlace, node.place)
    if (away === 0) return { status: 'own' }
    const bucket = this.#buckets[away - 1] as KnownNode[]
    if (!this.#hasRoom(node.address, bucket)) return { status: 'limited' }
    const [oldest] = bucket
    if (bucket.length >= BUCKET_SIZE && oldest !== undefined) return { status: 'full', oldest }
    bucket.push(node)
    this.#nodes.set(node.id, node)
    add(this.#blocks, blockOf(node.address), 1)
    add(this.#addresses, node.address, 1)
    return { status: 'added' }
  }

  /** Makes a node the newest of its bucket. */
  renew(node: KnownNode): void {
    const bucket = this.#bucketOf(node)
    const index = bucket.indexOf(node)
    if (index < 0) return
    bucket.splice(index, 1)
    bucket.push(node)
  }

  remove(id: string): void {
    const node = this.#nodes.get(id)
    if (node === undefined) return
    const bucket = this.#bucketOf(node)
    bucket.splice(bucket.indexOf(node), 1)
    this.#nodes.delete(id)
    add(this.#blocks, blockOf(node.address), -1)
    add(this.#addresses, node.address, -1)
  }

  #bucketOf(node: KnownNode): KnownNode[] {
    return this.#buckets[distance(this.#options.ownPlace, node.place) - 1] ?? []
  }

  #hasRoom(address: string, bucket: readonly KnownNode[]): boolean {
    if (this.#options.exemptsLocal && scopeOf(address) !== 'public') return true
    const block = blockOf(address)
    if ((this.#blocks.get(block) ?? 0) >= BLOCK_LIMITS.table) return false
    return bucket.filter((node) => blockOf(node.address) === block).length < BLOCK_LIMITS.bucket
  }
}

/** Nodes by their distance to a place, nearest first. */
export function byDistance(nodes: readonly KnownNode[], place: Buffer): KnownNode[] {
  return nodes
    .map((node) => ({ node, away: distance(node.place, place) }))
    .sort((one, other) => one.away - other.away)
    .map(({ node }) => node)
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
