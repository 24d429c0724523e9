import { blockOf, scopeOf } from './addressBlock.ts'
import { distance, HASH_BITS } from './distance.ts'
import type { KnownNode } from './knownNode.ts'

/** Nodes of a bucket (p2p.md §1). */
export const BUCKET_SIZE = 16
/** Most nodes of one subnet in a bucket, and in all of them. */
export const BLOCK_LIMITS = { bucket: 2, table: 10 } as const

/** Result of an insertion; `full` has the node that may be replaced. */
export type InsertResult =
  | { readonly status: 'added' | 'limited' | 'own' }
  | { readonly status: 'full'; readonly oldest: KnownNode }

export interface NodeTableOptions {
  /** Hash of the own id, from which distances are counted. */
  readonly ownIdHash: Buffer
  /** True when local addresses are exempt from subnet limits. */
  readonly exemptsLocal: boolean
}

/**
 * Nodes by distance: 256 buckets of 16. Nodes per subnet are limited, so that an attacker with many addresses
 * in few networks cannot fill it.
 */
export class NodeTable {
  readonly #options: NodeTableOptions
  /** Oldest first. */
  readonly #buckets: KnownNode[][] = Array.from({ length: HASH_BITS }, () => [])
  readonly #nodes = new Map<string, KnownNode>()
  /** Nodes per subnet, and per address. */
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

  /** Inserts a new node if its bucket and its subnet are not full. */
  insert(node: KnownNode): InsertResult {
    const away = distance(this.#options.ownIdHash, node.idHash)
    if (away === 0) return { status: 'own' }
    const bucket = this.#buckets[away - 1] as KnownNode[]
    if (!this.#hasCapacity(node.address, bucket)) return { status: 'limited' }
    const [oldest] = bucket
    if (bucket.length >= BUCKET_SIZE && oldest !== undefined) return { status: 'full', oldest }
    bucket.push(node)
    this.#nodes.set(node.id, node)
    add(this.#blocks, blockOf(node.address), 1)
    add(this.#addresses, node.address, 1)
    return { status: 'added' }
  }

  /** Moves a node to the end of its bucket. */
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
    return this.#buckets[distance(this.#options.ownIdHash, node.idHash) - 1] ?? []
  }

  #hasCapacity(address: string, bucket: readonly KnownNode[]): boolean {
    if (this.#options.exemptsLocal && scopeOf(address) !== 'public') return true
    const block = blockOf(address)
    if ((this.#blocks.get(block) ?? 0) >= BLOCK_LIMITS.table) return false
    return bucket.filter((node) => blockOf(node.address) === block).length < BLOCK_LIMITS.bucket
  }
}

/** Nodes by their distance to a hash, nearest first. */
export function byDistance(nodes: readonly KnownNode[], idHash: Buffer): KnownNode[] {
  return nodes
    .map((node) => ({ node, away: distance(node.idHash, idHash) }))
    .sort((one, other) => one.away - other.away)
    .map(({ node }) => node)
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
