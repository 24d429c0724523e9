import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import { type Stall, stallOf } from '../halt/stall.ts'
import { ask } from './ask.ts'
import { type HeaderCheck, stallOfFault } from './headerCheck.ts'
import { type HeaderChunk, readChunk } from './headerChunk.ts'
import type { SyncLimits } from './limits.ts'
import type { ChunkPlan } from './skeleton.ts'
import type { Suppliers } from './suppliers.ts'

/** Score events for invalid headers. */
export type Lie = 'invalidMessage' | 'invalidHeader'

/** A chunk, or why there is none. */
export type Fetched = HeaderChunk | 'failed' | 'lied' | 'invalid' | 'early'

/** Parts of a chunk fetch. */
export interface ChunkFetchDeps {
  readonly spec: NetworkSpec
  readonly check: HeaderCheck
  readonly suppliers: Suppliers
  readonly limits: Pick<SyncLimits, 'requestTimeout' | 'openHeaders'>
  /** Called when a peer sent invalid data. */
  lied(peer: Peer, event: Lie): void
  /** Called with headers that peers send and this node refuses or cannot read. */
  onStalled(stall: Stall): void
}

/** Rounds in which all peers that have a chunk are asked for it. */
const MAX_ROUNDS = 2

/**
 * Fetches the headers of a skeleton's chunks from all peers whose skeleton agrees, and checks the rules that
 * a header alone can break.
 */
export class ChunkFetch {
  readonly #deps: ChunkFetchDeps

  constructor(deps: ChunkFetchDeps) {
    this.#deps = deps
  }

  /**
   * Fetches a chunk from any peer that has it. Peers that send invalid data are reported, and so is the
   * leader whose skeleton was wrong.
   * @param index of the chunk in the plan
   */
  async fetch(
    leader: Peer,
    plan: readonly ChunkPlan[],
    index: number,
    signal: AbortSignal,
  ): Promise<Fetched> {
    const { spec, check, limits, suppliers, lied, onStalled } = this.#deps
    const chunk = plan[index] as ChunkPlan
    const below = plan[index - 1]?.hash ?? null
    const tried = new Set<Peer>()
    let rounds = 1
    while (!signal.aborted) {
      const peer = suppliers.pick('headers', limits.openHeaders, chunk.number, tried)
      if (peer === null) {
        if (suppliers.hasOther(chunk.number, tried)) await suppliers.changed()
        else if (rounds === MAX_ROUNDS || suppliers.having(chunk.number).length === 0) return 'failed'
        else {
          rounds += 1
          tried.clear()
        }
        continue
      }
      tried.add(peer)
      suppliers.asked(peer, 'headers')
      const question = { type: 'blockHeadersRequest', hash: chunk.hash, count: chunk.count } as const
      const answer = await ask<'blockHeadersRequest'>(peer, question, limits.requestTimeout, signal)
      suppliers.answered(peer, 'headers', typeof answer === 'string' ? answer : 'ok')
      if (typeof answer === 'string') continue
      const read = readChunk(spec, chunk, answer.headers, below)
      if (read === 'server') lied(peer, 'invalidMessage')
      else if (read === 'skeleton') {
        lied(leader, 'invalidMessage')
        return 'lied'
      } else if ('reason' in read) {
        onStalled(stallOf('refusedHeader', { ...read, peers: [peer, leader] }))
        lied(peer, 'invalidMessage')
      } else {
        const fault = await check.alone(read.headers, signal)
        if (fault === null) return read
        onStalled(stallOfFault(fault, [peer, leader]))
        if (fault.early) return 'early'
        for (const liar of new Set([peer, leader])) lied(liar, 'invalidHeader')
        return 'invalid'
      }
    }
    return 'failed'
  }
}
