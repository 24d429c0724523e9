import type { Peer } from '../../p2p/peer.ts'
import { ask } from './ask.ts'
import type { BodyMatch } from './bodyMatch.ts'
import type { CheckedHeader } from './branch.ts'
import type { DownloadWindow, Slot } from './downloadWindow.ts'
import type { SyncLimits } from './limits.ts'
import { RANGE_BLOCKS, RANGE_BYTES, SNAP_BLOCKS } from './protocol.ts'
import type { Suppliers } from './suppliers.ts'

/** Parts of a body download. */
export interface BodyDownloadDeps {
  readonly window: DownloadWindow
  readonly suppliers: Suppliers
  readonly match: BodyMatch
  readonly limits: Pick<SyncLimits, 'bodyTimeout' | 'openBodies' | 'secondTry'>
  /** Aborts the download. */
  readonly signal: AbortSignal
  /** Milliseconds, steady. */
  readonly now: () => number
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** Called when blocks arrived, or a peer is free again. */
  onChange(): void
  /** Called when a peer sent something other than the block of a header. */
  onLied(peer: Peer, header: CheckedHeader): void
  onBytes(bytes: number): void
  /** Called with an internal error of this node. */
  onError(error: unknown): void
}

/** Most open requests for many blocks per peer: the reference drops more than three (p2p.md §5). */
const OPEN_RUNS = 2
/** Shortest run that is requested as one. */
const MIN_RUN_BLOCKS = 4

/** Kind of request for blocks. */
type Method = 'range' | 'snap' | 'body'

/** The blocks of a run, null for missing ones, or why there are none. */
type Outcome = readonly (Buffer | null)[] | 'TIMEOUT' | 'GONE' | 'BUSY'

/** Rounds in which all peers are asked for a block that none of them provided. */
const MAX_ROUNDS = 3

/**
 * Downloads the blocks of a window from all peers that have them, within the message limit of each: whole
 * runs from peers that announce `rhizome` or `snap`, single bodies from others (p2p.md §4, §5, §11). What a
 * peer does not provide is requested from another one.
 */
export class BodyDownload {
  readonly #deps: BodyDownloadDeps
  /** Peers that did not respond to a request for many blocks. */
  readonly #noRuns = new Set<Peer>()

  constructor(deps: BodyDownloadDeps) {
    this.#deps = deps
  }

  /** Sends as many requests as peers and window allow. */
  pump(): void {
    const { suppliers, window, signal } = this.#deps
    if (window.first === null) return
    let isAsking = true
    while (isAsking && !signal.aborted) {
      isAsking = false
      for (const peer of this.#shuffled(suppliers.having(0))) isAsking = this.#askOne(peer) || isAsking
    }
    this.#askAgain()
  }

  /**
   * Whether some peer may still provide the lowest block. Peers that did not are asked again, a few times.
   */
  isHopeful(): boolean {
    const { suppliers, window } = this.#deps
    const { first } = window
    if (first === null || first.state !== 'wanted') return true
    const { number } = first.header
    if (suppliers.hasOther(number, first.tried)) return true
    first.rounds += 1
    first.tried.clear()
    return first.rounds < MAX_ROUNDS && suppliers.having(number).length > 0
  }

  #shuffled(peers: Peer[]): Peer[] {
    for (let last = peers.length - 1; last > 0; last -= 1) {
      const other = Math.floor(this.#deps.random() * (last + 1))
      const peer = peers[last] as Peer
      peers[last] = peers[other] as Peer
      peers[other] = peer
    }
    return peers
  }

  /** @returns whether a request was sent */
  #askOne(peer: Peer): boolean {
    const { window, suppliers } = this.#deps
    // Checked before any slot is inspected: of many peers most are busy, and there are thousands of slots.
    if (!this.#isFree(peer, 'body')) return false
    const suits = (slot: Slot) => !slot.tried.has(peer)
    const upTo = suppliers.heightOf(peer)
    for (const method of this.#methods(peer)) {
      const isFree = this.#isFree(peer, method)
      const run = window.nextRun(isFree ? this.#longestRun(method) : MIN_RUN_BLOCKS, suits, upTo)
      if (run.length === 0) return false
      if (method !== 'body' && run.length < MIN_RUN_BLOCKS) continue
      // Single requests in between would split the next run.
      if (!isFree) return false
      this.#fetch(peer, method, run).catch(this.#deps.onError)
      return true
    }
    return false
  }

  #isFree(peer: Peer, method: Method): boolean {
    const most = method === 'body' ? this.#deps.limits.openBodies : OPEN_RUNS
    return this.#deps.suppliers.isFree(peer, 'bodies', most, Number.NEGATIVE_INFINITY)
  }

  #methods(peer: Peer): Method[] {
    const methods: Method[] = ['body']
    if (this.#noRuns.has(peer)) return methods
    if (peer.snap) methods.unshift('snap')
    if (peer.ranges) methods.unshift('range')
    return methods
  }

  #longestRun(method: Method): number {
    switch (method) {
      case 'body':
        return 1
      case 'snap':
        return SNAP_BLOCKS
      case 'range':
        // Half of what fits: an oversized response lacks its lowest blocks, which are needed first.
        return Math.max(1, Math.min(RANGE_BLOCKS, Math.floor(RANGE_BYTES / 2 / this.#deps.window.guess)))
    }
  }

  /** Requests the block that the chain waits for from a second peer when the first is slow. */
  #askAgain(): void {
    const { window, suppliers, limits, now } = this.#deps
    const { first } = window
    if (first === null || first.state !== 'asked' || first.open > 1) return
    if (now() - first.askedAt < limits.secondTry) return
    const others = new Set(first.tried)
    if (first.asked !== null) others.add(first.asked)
    const peer = suppliers.pick('bodies', limits.openBodies, first.header.number, others)
    if (peer !== null) this.#fetch(peer, 'body', [first]).catch(this.#deps.onError)
  }

  async #fetch(peer: Peer, method: Method, run: readonly Slot[]): Promise<void> {
    const { window, suppliers, now, onChange } = this.#deps
    window.ask(run, peer, now())
    suppliers.asked(peer, 'bodies')
    let outcome: Outcome = 'GONE'
    try {
      outcome = await this.#request(peer, method, run)
    } finally {
      const blocks = typeof outcome === 'string' ? null : outcome
      // A timeout of a request for many blocks says nothing about single bodies: snapshot servers may be
      // busy, or disabled.
      const isSilentRun = method !== 'body' && outcome === 'TIMEOUT'
      if (isSilentRun) this.#noRuns.add(peer)
      suppliers.answered(peer, 'bodies', blocks !== null || isSilentRun ? 'ok' : (outcome as 'TIMEOUT'))
      for (const [index, slot] of run.entries()) {
        const block = blocks?.[index] ?? null
        window.answer(slot, peer, block)
        // Counts only for a peer that was asked for this block alone.
        if (block === null && (method !== 'body' || outcome === 'BUSY')) slot.tried.delete(peer)
      }
      onChange()
    }
  }

  /** @returns the blocks of the run in its order, null for missing ones; or why there are none */
  async #request(peer: Peer, method: Method, run: readonly Slot[]): Promise<Outcome> {
    const { limits } = this.#deps
    const highest = (run.at(-1) as Slot).header
    switch (method) {
      case 'body': {
        const answer = await ask<'bodyRequest'>(
          peer,
          { type: 'bodyRequest', hash: highest.hash },
          limits.bodyTimeout,
          this.#deps.signal,
        )
        if (typeof answer === 'string') return answer
        const block = this.#deps.match.fromBody(highest, answer)
        if (block === null) this.#lied(peer, highest)
        else this.#deps.onBytes(block.length)
        return [block]
      }
      case 'range': {
        const question = { type: 'blockRangeRequest', hash: highest.hash, count: run.length } as const
        const answer = await ask<'blockRangeRequest'>(peer, question, limits.bodyTimeout, this.#deps.signal)
        return typeof answer === 'string' ? answer : this.#fromBlocks(peer, run, answer.blocks, 0)
      }
      case 'snap': {
        const question = { type: 'snapBlocksRequest', blockNumber: highest.number + 1 } as const
        const answer = await ask<'snapBlocksRequest'>(peer, question, limits.bodyTimeout, this.#deps.signal)
        return typeof answer === 'string' ? answer : this.#fromBlocks(peer, run, answer.blocks, SNAP_BLOCKS)
      }
    }
  }

  /**
   * Whole blocks in ascending order, up to the highest of the run.
   * @param most blocks that the peer sends regardless of the request; 0 when it sends exactly those requested
   */
  #fromBlocks(
    peer: Peer,
    run: readonly Slot[],
    blocks: readonly Buffer[],
    most: number,
  ): readonly (Buffer | null)[] {
    if (blocks.length === 0 || blocks.length > Math.max(run.length, most)) {
      this.#lied(peer, (run.at(-1) as Slot).header)
      return run.map(() => null)
    }
    const shift = run.length - blocks.length
    const misfits: CheckedHeader[] = []
    const found = run.map(({ header }, index) => {
      const block = blocks[index - shift]
      if (block === undefined) return null
      if (this.#deps.match.isBlock(header, block)) {
        this.#deps.onBytes(block.length)
        return block
      }
      misfits.push(header)
      return null
    })
    const [misfit] = misfits
    if (misfit !== undefined) this.#lied(peer, misfit)
    return found
  }

  #lied(peer: Peer, header: CheckedHeader): void {
    peer.score('invalidMessage')
    this.#deps.suppliers.remove(peer)
    this.#deps.onLied(peer, header)
  }
}
