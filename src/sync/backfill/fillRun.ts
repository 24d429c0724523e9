import { parseBlockUnchecked } from '../../chain/codec/block.ts'
import { recoverSendersAside } from '../../chain/codec/signature.ts'
import type { ReadBlock } from '../../chain/import/messages.ts'
import { packSenders } from '../../chain/import/senders.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { ask } from '../client/ask.ts'
import { BodyDownload } from '../client/bodyDownload.ts'
import type { BodyMatch } from '../client/bodyMatch.ts'
import { sizeOf } from '../client/branch.ts'
import type { ReadyBlock } from '../client/downloadWindow.ts'
import type { HeaderCheck } from '../client/headerCheck.ts'
import { createStop, Wake } from '../client/pause.ts'
import { Suppliers } from '../client/suppliers.ts'
import type { SyncChain } from '../syncChain.ts'
import type { BackfillStore } from './backfillStore.ts'
import { DescendingWindow } from './descendingWindow.ts'
import { HeaderTrail, type TrailPosition } from './headerTrail.ts'
import type { BackfillLimits } from './limits.ts'

/** Parts of a {@link FillRun}. */
export interface FillRunDeps {
  readonly chain: Pick<SyncChain, 'spec' | 'reader'>
  readonly store: BackfillStore
  readonly peers: PeerSet
  readonly limits: BackfillLimits
  readonly match: BodyMatch
  readonly check: Pick<HeaderCheck, 'alone'>
  /** Milliseconds, steady. */
  readonly now: () => number
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** True when more urgent work is pending. */
  isPaused(): boolean
  onBytes(bytes: number): void
  /** Called when blocks were stored. */
  onBlocks(count: number): void
}

/** Result of a run; `genesis`: the chain does not descend from our genesis. */
export type FillEnd =
  | 'done'
  | 'failed'
  | 'genesis'
  /** Another run continues with the rest. */
  | 'stopped'

/** Interval of checks for new peers and for more urgent work, milliseconds. */
const TICK = 500
const ANY_HEIGHT = Number.MAX_SAFE_INTEGER

/** Fetches the blocks below the first stored one until block 1 is stored, or no peer provides more. */
export class FillRun {
  readonly #deps: FillRunDeps
  readonly #first: TrailPosition
  readonly #stop = createStop()
  readonly #wake = new Wake()
  readonly #window: DescendingWindow
  readonly #suppliers: Suppliers
  readonly #bodies: BodyDownload
  readonly #trail: HeaderTrail
  readonly #asked = new Set<Peer>()
  #headers: 'idle' | 'asked' | 'failed' | 'genesis' = 'idle'
  /** Received headers. */
  #added = 0
  /** Bytes of headers whose blocks are not stored yet. */
  #headerBytes = 0
  /** An internal error of this node. */
  #error: unknown = null

  /** @param first the parent of the first stored block */
  constructor(deps: FillRunDeps, first: TrailPosition) {
    this.#deps = deps
    this.#first = first
    const { chain, limits, match, now, random, onBytes } = deps
    const { signal } = this.#stop
    this.#window = new DescendingWindow(limits.windowBytes)
    this.#suppliers = new Suppliers(limits.reserve, now, () => undefined)
    const onLied = (peer: Peer) => this.#lied(peer)
    this.#trail = new HeaderTrail(
      {
        spec: chain.spec,
        genesis: chain.reader.hashByNumber(0) ?? Buffer.alloc(0),
        suppliers: this.#suppliers,
        limits,
        signal,
        onLied,
        onBytes,
      },
      first,
    )
    this.#bodies = new BodyDownload({
      window: this.#window,
      suppliers: this.#suppliers,
      match,
      limits,
      signal,
      now,
      random,
      onChange: () => this.#changed(),
      onLied: () => this.#wake.raise(),
      onBytes,
      onError: (error) => this.#failed(error),
    })
  }

  get peersUsed(): number {
    return this.#suppliers.size
  }

  peerGone(peer: Peer): void {
    this.#suppliers.remove(peer)
    this.#asked.delete(peer)
    this.#wake.raise()
  }

  onPeer(): void {
    this.#wake.raise()
  }

  stop(): void {
    this.#stop.abort()
    this.#suppliers.wake()
    this.#wake.raise()
  }

  /** @throws what fails within this node */
  async run(): Promise<FillEnd> {
    try {
      for (;;) {
        if (this.#error !== null) throw this.#error
        const end = await this.#afterTick()
        if (end !== null) return end
      }
    } finally {
      this.stop()
    }
  }

  async #afterTick(): Promise<FillEnd | null> {
    const { limits, isPaused } = this.#deps
    if (this.#stop.signal.aborted) return 'stopped'
    if (isPaused()) {
      await this.#wake.wait(TICK)
      return null
    }
    this.#look()
    this.#extend()
    this.#bodies.pump()
    const ready = this.#window.takeReady(limits.commitBlocks, limits.commitBytes)
    for (const { header } of ready) this.#headerBytes -= sizeOf(header)
    if (ready.length > 0) return (await this.#store(ready)) ? null : 'failed'
    const end = this.#endOfWaiting()
    if (end === null) await this.#wake.wait(TICK)
    return end
  }

  #endOfWaiting(): FillEnd | null {
    if (this.#window.size > 0) return this.#bodies.isHopeful() ? null : 'failed'
    if (this.#headers === 'genesis') return 'genesis'
    if (this.#headers === 'failed') return 'failed'
    if (this.#headers !== 'idle') return null
    if (this.#trail.isComplete) return 'done'
    return this.#added >= this.#deps.limits.runBlocks ? 'stopped' : null
  }

  #changed(): void {
    if (!this.#stop.signal.aborted && !this.#deps.isPaused()) this.#bodies.pump()
    this.#wake.raise()
  }

  /** Asks new peers for the first header: those that have it are asked for more. */
  #look(): void {
    for (const peer of this.#deps.peers.peers) {
      if (peer.status === null || this.#asked.has(peer)) continue
      this.#asked.add(peer)
      void this.#meet(peer).catch((error: unknown) => this.#failed(error))
    }
  }

  async #meet(peer: Peer): Promise<void> {
    const { requestTimeout } = this.#deps.limits
    const question = { type: 'blockHeadersRequest', hash: this.#first.hash, count: 1 } as const
    const answer = await ask<'blockHeadersRequest'>(peer, question, requestTimeout, this.#stop.signal)
    if (answer === 'BUSY') this.#asked.delete(peer)
    if (typeof answer === 'string' || answer.headers.length === 0) return
    this.#suppliers.agree(peer, ANY_HEIGHT)
    this.#wake.raise()
  }

  /** Fetches headers while bodies arrive. */
  #extend(): void {
    if (this.#headers !== 'idle' || this.#trail.isComplete || this.#suppliers.size === 0) return
    const { headersAhead, headerBytes, runBlocks } = this.#deps.limits
    if (this.#added >= runBlocks) return
    if (this.#window.size >= headersAhead || this.#headerBytes >= headerBytes) return
    this.#headers = 'asked'
    const step = this.#trail.step().then((found) => {
      this.#headers = typeof found === 'string' ? found : 'idle'
      if (typeof found !== 'string') {
        this.#window.add(found)
        this.#added += found.length
        for (const header of found) this.#headerBytes += sizeOf(header)
      }
      this.#wake.raise()
    })
    step.catch((error: unknown) => this.#failed(error))
  }

  /** @returns false when a peer gave a block whose proof of work is another one */
  async #store(ready: readonly ReadyBlock[]): Promise<boolean> {
    const { chain, check, store, onBlocks } = this.#deps
    const blocks = ready.map(({ block }) => parseBlockUnchecked(chain.spec, block))
    // The hash of a block leaves out how its Bitcoin block is proven.
    const fault = await check.alone(
      blocks.map(({ header }) => header),
      this.#stop.signal,
    )
    if (fault !== null) {
      for (const { giver, header } of ready) if (header.hash.equals(fault.header.hash)) this.#lied(giver)
      return false
    }
    const read: ReadBlock[] = []
    for (const [index, block] of blocks.entries()) {
      block.setSenders(await recoverSendersAside(block.transactions))
      read.push({
        rlp: (ready[index] as ReadyBlock).block,
        senders: packSenders(block),
        position: block.number,
      })
    }
    if (this.#stop.signal.aborted) return false
    await store.takeBlocks(read)
    onBlocks(read.length)
    return true
  }

  #lied(peer: Peer): void {
    peer.score('invalidMessage')
    this.#suppliers.remove(peer)
  }

  #failed(error: unknown): void {
    this.#error = error
    this.#wake.raise()
  }
}
