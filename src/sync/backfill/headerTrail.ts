import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from '../client/ask.ts'
import { type CheckedHeader, toChecked } from '../client/branch.ts'
import { readChunk } from '../client/headerChunk.ts'
import { CHUNK_HEADERS } from '../client/protocol.ts'
import type { Suppliers } from '../client/suppliers.ts'
import type { BackfillLimits } from './limits.ts'

/** The next header to fetch. */
export interface TrailPosition {
  readonly number: number
  readonly hash: Buffer
}

/** Means of fetching headers. */
export interface HeaderTrailDeps {
  readonly spec: NetworkSpec
  readonly genesis: Buffer
  readonly suppliers: Suppliers
  readonly limits: Pick<BackfillLimits, 'requestTimeout'>
  readonly signal: AbortSignal
  onLied(peer: Peer): void
  onBytes(bytes: number): void
}

/**
 * Result: headers in descending order; `nobody`: no peer provides them; `genesis`: block 1 does not descend
 * from our genesis.
 */
export type TrailStep = readonly CheckedHeader[] | 'failed' | 'genesis'

/**
 * Fetches headers from a known hash down to block 1, in batches (p2p.md §4 type 9). The hash of each is the
 * parent hash of the header above, which proves it.
 */
export class HeaderTrail {
  readonly #deps: HeaderTrailDeps
  #next: TrailPosition

  constructor(deps: HeaderTrailDeps, first: TrailPosition) {
    this.#deps = deps
    this.#next = first
  }

  /** True when the header of block 1 was fetched. */
  get isComplete(): boolean {
    return this.#next.number === 0
  }

  /** Fetches the next headers; one call at a time. */
  async step(): Promise<TrailStep> {
    const { suppliers, limits, signal } = this.#deps
    const { number, hash } = this.#next
    const count = Math.min(CHUNK_HEADERS, number)
    const tried = new Set<Peer>()
    while (!signal.aborted) {
      const peer = suppliers.pick('headers', 1, number, tried)
      if (peer === null) {
        if (!suppliers.hasOther(number, tried)) return 'failed'
        await suppliers.changed()
        continue
      }
      suppliers.asked(peer, 'headers')
      const question = { type: 'blockHeadersRequest', hash, count } as const
      const answer = await ask<'blockHeadersRequest'>(peer, question, limits.requestTimeout, signal)
      suppliers.answered(peer, 'headers', typeof answer === 'string' ? answer : 'ok')
      if (answer === 'BUSY') continue
      tried.add(peer)
      if (typeof answer === 'string' || answer.headers.length === 0) continue
      const taken = this.#read(answer.headers, count)
      if (taken !== null) return taken
      this.#deps.onLied(peer)
    }
    return 'failed'
  }

  /** @returns null when it is not what was asked for */
  #read(answer: readonly Buffer[], most: number): readonly CheckedHeader[] | 'genesis' | null {
    // A peer that started from a snapshot has fewer.
    const plan = { ...this.#next, count: Math.min(most, answer.length) }
    const read = readChunk(this.#deps.spec, plan, answer, null)
    // Heights are covered by the hashes: a wrong one means that our own chain is wrong.
    if (read === 'skeleton') return 'genesis'
    if (read === 'server' || 'reason' in read) return null
    const lowest = read.headers[0]
    if (lowest === undefined) return null
    if (lowest.number === 1 && !lowest.parentHash.equals(this.#deps.genesis)) return 'genesis'
    this.#next = { number: lowest.number - 1, hash: lowest.parentHash }
    this.#deps.onBytes(read.encoded.reduce((sum, { length }) => sum + length, 0))
    return read.headers.map((header, index) => toChecked(header, read.encoded[index] as Buffer)).reverse()
  }
}
