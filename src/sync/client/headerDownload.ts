import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { Stalls } from '../halt/stalls.ts'
import { type CheckedHeader, toChecked } from './branch.ts'
import type { Checkpoints } from './checkpointCheck.ts'
import { ChunkFetch, type Fetched, type Lie } from './chunkFetch.ts'
import { type HeaderCheck, stallOfFault } from './headerCheck.ts'
import type { HeaderChunk } from './headerChunk.ts'
import type { SyncLimits } from './limits.ts'
import { createStop } from './pause.ts'
import type { RefusedBranches } from './refusedBranches.ts'
import type { ChunkPlan } from './skeleton.ts'
import { bestOf, SkeletonComparison } from './skeletonComparison.ts'
import type { Suppliers } from './suppliers.ts'

/**
 * Why the headers ended: the branch is complete; no peer continues it; it does not descend from the expected
 * block; it breaks a rule; its next block is too far in the future; it contains a rejected block; it contains
 * one that could not be judged and is not tried again yet.
 */
export type HeadersEnd =
  | 'complete'
  | 'abandoned'
  | 'fork'
  | 'invalid'
  | 'early'
  | 'refused'
  | 'stalled'
  | 'stopped'

/** Parts of a header download. */
export interface HeaderDownloadDeps {
  readonly spec: NetworkSpec
  readonly check: HeaderCheck
  readonly checkpoints: Checkpoints
  readonly refused: RefusedBranches
  readonly stalls: Pick<Stalls, 'isResting' | 'met' | 'record'>
  readonly suppliers: Suppliers
  readonly limits: Pick<SyncLimits, 'requestTimeout' | 'openHeaders' | 'chunksAhead'>
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Hash of the block of our chain at a height, up to the connection point. */
  known(number: number): Buffer | null
  /** Called with an internal error of a background request. */
  onError(error: unknown): void
  /** Called when a peer failed. */
  onFailed(peer: Peer): void
  /** Called when the branch contains a rejected block that these peers announce nonetheless. */
  onInsisting(hash: Buffer, peers: readonly Peer[]): void
}

/** Hashes of the branch for the comparison of skeletons: those of at least one step. */
const RECENT_HASHES = 512

/**
 * Downloads the headers of a branch, from a block of our chain on (p2p.md §5): the skeleton of the leading
 * peer, which is also requested from all better ones; its chunks from all peers whose skeleton agrees,
 * several at once; each is validated before the next is passed on. A leader that fails is replaced by another
 * one that continues the same branch.
 */
export class HeaderDownload {
  readonly #deps: HeaderDownloadDeps
  readonly #recent = new Map<number, Buffer>()
  readonly #failed = new Set<Peer>()
  #leader: Peer | null = null

  readonly #chunks: ChunkFetch
  readonly #skeletons: SkeletonComparison

  constructor(deps: HeaderDownloadDeps) {
    this.#deps = deps
    const lied = (peer: Peer, event: Lie) => this.#lied(peer, event)
    this.#chunks = new ChunkFetch({ ...deps, lied, onStalled: (stall) => deps.stalls.record(stall) })
    this.#skeletons = new SkeletonComparison({
      ...deps,
      isFailed: (peer) => this.#failed.has(peer),
      known: (number) => this.#known(number),
    })
  }

  /** Peer whose skeleton is followed. */
  get leader(): Peer | null {
    return this.#leader
  }

  /**
   * Call it when a peer connected or announced a status: if its skeleton agrees with the current one, it
   * serves chunks from now on.
   */
  join(peer: Peer): void {
    this.#skeletons.join(peer)
  }

  /**
   * Runs of checked headers in ascending order, each continuing the one before, the first on the given block.
   */
  async *run(
    base: BlockHeader,
    signal: AbortSignal,
  ): AsyncGenerator<readonly CheckedHeader[], HeadersEnd, void> {
    let last = base
    for (;;) {
      if (signal.aborted) return 'stopped'
      const leader = this.#nextLeader(last.number)
      // Once our head has the work that the peer claims, the peer is no longer among the better ones.
      if (leader === null)
        return this.#leader !== null && bestOf(this.#leader) <= last.number ? 'complete' : 'abandoned'
      this.#leader = leader
      const plan = await this.#skeletons.plan(leader, last.number, signal)
      if (plan === 'failed' || plan === 'malformed') {
        if (plan === 'malformed') leader.score('invalidMessage')
        this.#fail(leader)
        continue
      }
      if (plan === 'fork') {
        if (last === base) return 'fork'
        this.#fail(leader)
        continue
      }
      if (plan.length === 0) return 'complete'
      const round = yield* this.#round(leader, plan, last, signal)
      if (typeof round === 'string') return round
      last = round
    }
  }

  /** Fetches the chunks of one skeleton. @returns the highest header, or why there are no more */
  async *#round(
    leader: Peer,
    plan: readonly ChunkPlan[],
    base: BlockHeader,
    signal: AbortSignal,
  ): AsyncGenerator<readonly CheckedHeader[], HeadersEnd | BlockHeader, void> {
    const over = createStop()
    const stop = () => over.abort()
    signal.addEventListener('abort', stop, { once: true })
    const fetches: Promise<Fetched>[] = []
    let last = base
    try {
      for (const [index, chunkPlan] of plan.entries()) {
        while (fetches.length < Math.min(plan.length, index + this.#deps.limits.chunksAhead)) {
          const fetch = this.#chunks.fetch(leader, plan, fetches.length, over.signal)
          // The rejection of one that is no longer awaited is ignored.
          fetch.catch(() => undefined)
          fetches.push(fetch)
        }
        const fetched = await (fetches[index] as Promise<Fetched>)
        if (signal.aborted) return 'stopped'
        if (fetched === 'invalid' || fetched === 'early') return fetched
        if (fetched === 'lied' || fetched === 'failed') {
          if (fetched === 'failed') this.#fail(leader)
          else this.#failed.add(leader)
          return last
        }
        const { headers, end } = this.#seal(chunkPlan, fetched, last)
        if (headers.length > 0) yield headers
        if (end !== null) {
          if (end === 'fork' && last !== base) this.#fail(leader)
          return end === 'fork' && last !== base ? last : end
        }
        last = fetched.headers.at(-1) ?? last
      }
      return last
    } finally {
      over.abort()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Continues with the leader, or else with a peer that has something to add. */
  #nextLeader(start: number): Peer | null {
    const able = this.#deps.leaders().filter((peer) => !this.#failed.has(peer))
    if (this.#leader === null) return able[0] ?? null
    if (able.includes(this.#leader)) return this.#leader
    return able.find((peer) => bestOf(peer) > start) ?? null
  }

  /**
   * Validates a chunk against its ancestors. @returns its headers up to the first that is rejected, and why
   */
  #seal(
    plan: ChunkPlan,
    { headers, encoded }: HeaderChunk,
    below: BlockHeader,
  ): { headers: readonly CheckedHeader[]; end: HeadersEnd | null } {
    const { check, checkpoints, refused, stalls, suppliers } = this.#deps
    const sealed: CheckedHeader[] = []
    const offering = suppliers.having(plan.number)
    let parent = below
    if (headers[0]?.parentHash.equals(below.hash) !== true) return { headers: [], end: 'fork' }
    for (const [index, header] of headers.entries()) {
      if (refused.find(header.hash) !== null) {
        this.#deps.onInsisting(header.hash, offering)
        return { headers: sealed, end: 'refused' }
      }
      if (stalls.isResting(header.hash)) {
        stalls.met(header.hash, offering)
        return { headers: sealed, end: 'stalled' }
      }
      const fault = check.onParent(header, parent)
      if (fault !== null) stalls.record(stallOfFault(fault, offering))
      if (fault !== null || checkpoints.contradicts(header.number, header.hash)) {
        for (const peer of offering) this.#lied(peer, 'invalidHeader')
        return { headers: sealed, end: 'invalid' }
      }
      sealed.push(toChecked(header, encoded[index] as Buffer))
      this.#remember(header)
      parent = header
    }
    return { headers: sealed, end: null }
  }

  #known(number: number): Buffer | null {
    return this.#recent.get(number) ?? this.#deps.known(number)
  }

  #remember({ number, hash }: BlockHeader): void {
    this.#recent.set(number, hash)
    this.#recent.delete(number - RECENT_HASHES)
  }

  #lied(peer: Peer, event: Lie): void {
    peer.score(event)
    this.#failed.add(peer)
    this.#deps.suppliers.remove(peer)
    this.#deps.onFailed(peer)
  }

  #fail(peer: Peer): void {
    this.#failed.add(peer)
    this.#deps.onFailed(peer)
  }
}
