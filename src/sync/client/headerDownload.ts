import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from './ask.ts'
import { type CheckedHeader, toChecked } from './branch.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { HeaderCheck } from './headerCheck.ts'
import { type HeaderChunk, readChunk } from './headerChunk.ts'
import type { SyncLimits } from './limits.ts'
import { createStop } from './pause.ts'
import type { RefusedBranches } from './refusedBranches.ts'
import { type ChunkPlan, planChunks } from './skeleton.ts'
import type { Suppliers } from './suppliers.ts'

/**
 * Why no more headers come: the branch is at its end; nobody goes on with it; it does not stand on the block that it
 * should; it breaks a rule; its next block is too far in the future; it holds a block that was refused.
 */
export type HeadersEnd = 'complete' | 'abandoned' | 'fork' | 'invalid' | 'early' | 'refused' | 'stopped'

/** What headers are downloaded with. */
export interface HeaderDownloadDeps {
  readonly spec: NetworkSpec
  readonly check: HeaderCheck
  readonly checkpoints: Checkpoints
  readonly refused: RefusedBranches
  readonly suppliers: Suppliers
  readonly limits: Pick<SyncLimits, 'requestTimeout' | 'openHeaders' | 'chunksAhead'>
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Hash of the block of our chain at a height, up to the connection point. */
  known(number: number): Buffer | null
  /** What was asked aside failed within this node. */
  onError(error: unknown): void
  /** A peer did not do its part. */
  onFailed(peer: Peer): void
  /** The branch holds a block that was refused: these peers offer it all the same. */
  onInsisting(hash: Buffer, peers: readonly Peer[]): void
}

/** Hashes of the branch that skeletons are compared with: those of one step and more. */
const RECENT_HASHES = 512

/** How often all that have a chunk are asked for it. */
const MOST_ROUNDS = 2

type Fetched = HeaderChunk | 'failed' | 'lied' | 'invalid' | 'early'

/** The skeleton that is followed now. */
interface Round {
  readonly start: number
  readonly plan: readonly ChunkPlan[]
  readonly signal: AbortSignal
  /** Peers that were asked for theirs. */
  readonly compared: Set<Peer>
}

/**
 * Headers of a branch, from a block of our chain on (p2p.md §5): a skeleton of the leading peer, asked of all better
 * ones too; the chunks of it from all whose skeleton agrees, several at once; each judged before the next is given.
 * A leader that fails is replaced by the next one that goes on with the same branch.
 */
export class HeaderDownload {
  readonly #deps: HeaderDownloadDeps
  readonly #recent = new Map<number, Buffer>()
  readonly #failed = new Set<Peer>()
  #leader: Peer | null = null
  #skeleton: Round | null = null

  constructor(deps: HeaderDownloadDeps) {
    this.#deps = deps
  }

  /** Peer whose skeleton is followed. */
  get leader(): Peer | null {
    return this.#leader
  }

  /** A peer came, or told its state: as far as its skeleton is the one that is followed, it helps from now on. */
  join(peer: Peer): void {
    const round = this.#skeleton
    if (round === null || round.compared.has(peer) || !this.#deps.leaders().includes(peer)) return
    this.#compare(peer, round).catch(this.#deps.onError)
  }

  /** Runs of checked headers, ascending, each on the one before, the first on the block given. */
  async *run(
    base: BlockHeader,
    signal: AbortSignal,
  ): AsyncGenerator<readonly CheckedHeader[], HeadersEnd, void> {
    let last = base
    for (;;) {
      if (signal.aborted) return 'stopped'
      const leader = this.#nextLeader(last.number)
      // Once our head has the work that it claims it is no longer among the better ones.
      if (leader === null)
        return this.#leader !== null && bestOf(this.#leader) <= last.number ? 'complete' : 'abandoned'
      this.#leader = leader
      const plan = await this.#plan(leader, last.number, signal)
      if (plan === 'failed') continue
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
          const fetch = this.#fetch(leader, plan, fetches.length, over.signal)
          // One that nobody comes to wait for any more fails unheard.
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

  /** The leader goes on; in its place comes one that has something to add. */
  #nextLeader(start: number): Peer | null {
    const able = this.#deps.leaders().filter((peer) => !this.#failed.has(peer))
    if (this.#leader === null) return able[0] ?? null
    if (able.includes(this.#leader)) return this.#leader
    return able.find((peer) => bestOf(peer) > start) ?? null
  }

  async #plan(
    leader: Peer,
    start: number,
    signal: AbortSignal,
  ): Promise<readonly ChunkPlan[] | 'fork' | 'failed'> {
    const { limits, suppliers } = this.#deps
    // Beyond its best block the reference answers nothing (p2p.md §4).
    if (bestOf(leader) <= start) return []
    const answer = await ask<'skeletonRequest'>(
      leader,
      { type: 'skeletonRequest', startNumber: start },
      limits.requestTimeout,
      signal,
    )
    if (typeof answer === 'string') {
      this.#fail(leader)
      return 'failed'
    }
    const plan = planChunks(answer.blocks, start, (number) => this.#known(number))
    if (plan === null) {
      leader.score('invalidMessage')
      this.#fail(leader)
      return 'failed'
    }
    if (plan === 'fork') return plan
    suppliers.limitTo(start)
    const end = plan.at(-1)
    if (end !== undefined) suppliers.agree(leader, end.number)
    this.#skeleton = { start, plan, signal, compared: new Set([leader]) }
    for (const peer of this.#deps.leaders()) this.join(peer)
    return plan
  }

  /** Asks another peer for its skeleton: as far as it is the same, the peer has the branch. */
  async #compare(peer: Peer, { start, plan, signal, compared }: Round): Promise<void> {
    const { limits, suppliers } = this.#deps
    if (this.#failed.has(peer) || bestOf(peer) <= start || peer.allowance <= 1) return
    compared.add(peer)
    const question = { type: 'skeletonRequest', startNumber: start } as const
    const answer = await ask<'skeletonRequest'>(peer, question, limits.requestTimeout, signal)
    // Whoever was busy is asked again when it tells its state the next time.
    if (answer === 'BUSY') compared.delete(peer)
    if (typeof answer === 'string') return
    const theirs = new Map(answer.blocks.map(({ number, hash }) => [number, hash]))
    const same = plan.findLast(({ number, hash }) => theirs.get(number)?.equals(hash) === true)
    if (same !== undefined) suppliers.agree(peer, same.number)
  }

  async #fetch(
    leader: Peer,
    plan: readonly ChunkPlan[],
    index: number,
    signal: AbortSignal,
  ): Promise<Fetched> {
    const { spec, check, limits, suppliers } = this.#deps
    const chunk = plan[index] as ChunkPlan
    const below = plan[index - 1]?.hash ?? null
    const tried = new Set<Peer>()
    let rounds = 1
    while (!signal.aborted) {
      const peer = suppliers.pick('headers', limits.openHeaders, chunk.number, tried)
      if (peer === null) {
        if (suppliers.hasOther(chunk.number, tried)) await suppliers.changed()
        else if (rounds === MOST_ROUNDS || suppliers.having(chunk.number).length === 0) return 'failed'
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
      if (read === 'server') this.#lied(peer, 'invalidMessage')
      else if (read === 'skeleton') {
        this.#lied(leader, 'invalidMessage')
        return 'lied'
      } else {
        const fault = await check.alone(read.headers, signal)
        if (fault === null) return read
        if (fault.early) return 'early'
        for (const liar of new Set([peer, leader])) this.#lied(liar, 'invalidHeader')
        return 'invalid'
      }
    }
    return 'failed'
  }

  /** Judges a chunk against what it stands on. @returns its headers up to the first that is not taken, and why */
  #seal(
    plan: ChunkPlan,
    { headers, encoded }: HeaderChunk,
    below: BlockHeader,
  ): { headers: readonly CheckedHeader[]; end: HeadersEnd | null } {
    const { check, checkpoints, refused, suppliers } = this.#deps
    const sealed: CheckedHeader[] = []
    const offering = suppliers.having(plan.number)
    let parent = below
    if (headers[0]?.parentHash.equals(below.hash) !== true) return { headers: [], end: 'fork' }
    for (const [index, header] of headers.entries()) {
      if (refused.find(header.hash) !== null) {
        this.#deps.onInsisting(header.hash, offering)
        return { headers: sealed, end: 'refused' }
      }
      const fault = check.onParent(header, parent)
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

  #lied(peer: Peer, event: 'invalidMessage' | 'invalidHeader'): void {
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

function bestOf({ status }: Peer): number {
  return status?.bestNumber ?? 0
}
