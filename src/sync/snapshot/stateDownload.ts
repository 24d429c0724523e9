import type { SnapshotTarget } from '../../chain/tables/snapshotSyncState.ts'
import { checkStateChunk, STATE_CHUNK_SPAN } from '../../native/stateChunks.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from '../client/ask.ts'
import { createStop } from '../client/pause.ts'
import type { Suppliers } from '../client/suppliers.ts'
import { CHUNK_SIZE_FIELD, MAX_CHUNK_BYTES, type SnapshotLimits } from './limits.ts'
import type { SnapshotStore } from './snapshotStore.ts'

/** Dependencies of the download of a state. */
export interface StateDownloadDeps {
  readonly store: Pick<SnapshotStore, 'takeChunk'>
  /** Peers that have the block; more may be added at any time. */
  readonly suppliers: Suppliers
  readonly limits: Pick<SnapshotLimits, 'openChunks' | 'bulkTimeout' | 'stateAhead'>
  onLied(peer: Peer): void
  /** Called when a chunk was accepted. @param next where the next one begins */
  onChunk(bytes: number, next: number): void
}

/** A checked chunk, or why there is none: no peer that was asked provides it. */
type Fetched = { readonly chunk: Buffer; readonly complete: boolean } | null

/**
 * Fetches a state in chunks from several peers at once (p2p.md §5 Snapshot sync). Each is checked against the
 * root by itself on arrival, so that the sender of a wrong one is known; they are stored in order.
 */
export class StateDownload {
  readonly #deps: StateDownloadDeps
  readonly #target: SnapshotTarget
  readonly #stop = createStop()

  constructor(deps: StateDownloadDeps, target: SnapshotTarget) {
    this.#deps = deps
    this.#target = target
  }

  stop(): void {
    this.#stop.abort()
    this.#deps.suppliers.wake()
  }

  /**
   * @param from offset of the first chunk to fetch
   * @returns whether the state is complete; false where no peer provides the next chunk
   * @throws internal errors
   */
  async run(from: number): Promise<boolean> {
    const { store, onChunk } = this.#deps
    const ahead = new Map<number, Promise<Fetched>>()
    try {
      for (let next: number = from; ; ) {
        this.#askAhead(ahead, next)
        const fetched = await (ahead.get(next) as Promise<Fetched>)
        ahead.delete(next)
        if (fetched === null || this.#stop.signal.aborted) return false
        const { refused, nextChunk } = await store.takeChunk(fetched.chunk)
        if (refused !== null) throw new RangeError(`a checked chunk was refused: ${refused}`)
        onChunk(fetched.chunk.length, nextChunk ?? this.#target.size)
        if (nextChunk === null) return true
        next = nextChunk
      }
    } finally {
      this.stop()
      await Promise.allSettled(ahead.values())
    }
  }

  /**
   * Peers do not respond beyond the announced size; it is believed only while chunks below it are missing.
   */
  #askAhead(ahead: Map<number, Promise<Fetched>>, next: number): void {
    const { stateAhead } = this.#deps.limits
    for (let index = 0; index < stateAhead; index += 1) {
      const offset = next + index * STATE_CHUNK_SPAN
      if (index > 0 && offset >= this.#target.size) return
      if (ahead.has(offset)) continue
      const fetch = this.#fetch(offset)
      // The rejection of one that is no longer awaited is ignored.
      fetch.catch(() => undefined)
      ahead.set(offset, fetch)
    }
  }

  async #fetch(from: number): Promise<Fetched> {
    const { suppliers, limits } = this.#deps
    const { number } = this.#target
    const { signal } = this.#stop
    const tried = new Set<Peer>()
    while (!signal.aborted) {
      const peer = suppliers.pick('bodies', limits.openChunks, number, tried)
      if (peer === null) {
        if (!suppliers.hasOther(number, tried)) return null
        await suppliers.changed()
        continue
      }
      suppliers.asked(peer, 'bodies')
      const question = {
        type: 'snapStateChunkRequest',
        blockNumber: number,
        from,
        chunkSize: CHUNK_SIZE_FIELD,
      } as const
      const answer = await ask<'snapStateChunkRequest'>(peer, question, limits.bulkTimeout, signal)
      suppliers.answered(peer, 'bodies', typeof answer === 'string' ? answer : 'ok')
      if (answer === 'BUSY') continue
      tried.add(peer)
      if (typeof answer === 'string') continue
      const complete = await this.#check(answer, from)
      if (complete !== null) return { chunk: answer.chunk, complete }
      if (!signal.aborted) this.#deps.onLied(peer)
    }
    return null
  }

  /** @returns whether the state ends with the chunk; null when it is not the requested one */
  async #check(
    answer: { readonly chunk: Buffer; readonly blockNumber: number; readonly from: number },
    from: number,
  ): Promise<boolean | null> {
    const { number, stateRoot } = this.#target
    if (answer.blockNumber !== number || answer.from !== from) return null
    if (answer.chunk.length > MAX_CHUNK_BYTES) return null
    const { refused, complete } = await checkStateChunk(answer.chunk, stateRoot, from)
    return refused === null ? complete : null
  }
}
