import type { Logger } from '../observe/logger.ts'
import type { Peer } from '../p2p/peer.ts'
import { Wake } from './client/pause.ts'
import type { SyncClient } from './client/syncClient.ts'
import type { SyncStats } from './client/syncStats.ts'
import type { Halt } from './halt/halt.ts'
import { RepeatedFailure } from './halt/repeatedFailure.ts'
import type { SnapshotStore } from './snapshot/snapshotStore.ts'
import type { SnapshotSync } from './snapshot/snapshotSync.ts'

/** The parts that a {@link SyncStart} begins. */
export interface SyncStartParts {
  readonly client: SyncClient
  /** Null on a node that is to execute all blocks. */
  readonly snapshot: SnapshotSync | null
  /** Null where nothing can be left of a snapshot. */
  readonly store: Pick<SnapshotStore, 'position' | 'discard'> | null
  readonly log: Logger
  /** Called when synchronisation cannot begin, or begins after all (null). */
  onHalt(halt: Halt | null): void
}

/** Pause before a beginning that failed is tried again, and the longest, milliseconds. */
const FIRST_PAUSE_MILLISECONDS = 1_000
const MAX_PAUSE_MILLISECONDS = 60_000

/** Begins synchronisation: with a snapshot where one is wanted, then block after block. */
export class SyncStart {
  readonly #parts: SyncStartParts
  #isBeginning: boolean
  #isClosed = false
  #begun: Promise<void> | null = null
  readonly #wake = new Wake()

  constructor(parts: SyncStartParts) {
    this.#parts = parts
    this.#isBeginning = parts.snapshot !== null
  }

  /** True when the chain waits for its snapshot: blocks of peers are of no use yet. */
  get isBeginning(): boolean {
    return this.#isBeginning
  }

  get stats(): SyncStats {
    const { snapshot, client } = this.#parts
    return this.#isBeginning && snapshot !== null ? snapshot.stats : client.stats
  }

  start(): void {
    this.#begun ??= this.#begin()
  }

  onPeer(): void {
    if (this.#isBeginning) this.#parts.snapshot?.onPeer()
  }

  onPeerGone(peer: Peer): void {
    this.#parts.snapshot?.onPeerGone(peer)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#parts.snapshot?.stop()
    this.#wake.raise()
    await this.#begun
  }

  /** Tries again after a failure: without a beginning the node would wait for ever. */
  async #begin(): Promise<void> {
    const { log, onHalt } = this.#parts
    const failures = new RepeatedFailure('snapshotError', { logger: log, onHalt })
    for (
      let pause = FIRST_PAUSE_MILLISECONDS;
      !this.#isClosed;
      pause = Math.min(MAX_PAUSE_MILLISECONDS, pause * 2)
    ) {
      try {
        await this.#run()
        failures.wentOn()
        return
      } catch (error) {
        failures.failed(error)
        await this.#wake.wait(pause)
      }
    }
  }

  async #run(): Promise<void> {
    const { client, snapshot, store } = this.#parts
    const end = snapshot === null ? 'full' : await snapshot.run()
    if (end === 'stopped' || this.#isClosed) return
    if (end === 'full' && store !== null) await this.#discard(store)
    this.#isBeginning = false
    client.start()
  }

  /** Discards an earlier run's part of a snapshot, which is of no use to a chain that is executed from genesis. */
  async #discard(store: Pick<SnapshotStore, 'position' | 'discard'>): Promise<void> {
    const { headers, target } = await store.position()
    if (headers === null && target === null) return
    await store.discard()
    this.#parts.log.info('what was fetched of a snapshot is given up')
  }
}
