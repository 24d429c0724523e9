import type { Logger } from '../../observe/logger.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { SyncClient } from '../../sync/client/syncClient.ts'
import type { SyncStats } from '../../sync/client/syncStats.ts'
import type { SnapshotStore } from '../../sync/snapshot/snapshotStore.ts'
import type { SnapshotSync } from '../../sync/snapshot/snapshotSync.ts'

/** What a {@link SyncStart} begins. */
export interface SyncStartParts {
  readonly client: SyncClient
  /** Null on a node that is to execute all blocks. */
  readonly snapshot: SnapshotSync | null
  /** Null where nothing can be left of a snapshot. */
  readonly store: Pick<SnapshotStore, 'position' | 'discard'> | null
  readonly log: Logger
}

/** Begins synchronisation: with a snapshot where one is wanted, then block after block. */
export class SyncStart {
  readonly #parts: SyncStartParts
  #isBeginning: boolean
  #isClosed = false
  #begun: Promise<void> | null = null

  constructor(parts: SyncStartParts) {
    this.#parts = parts
    this.#isBeginning = parts.snapshot !== null
  }

  /** Whether the chain waits for its snapshot: blocks of peers are of no use yet. */
  get isBeginning(): boolean {
    return this.#isBeginning
  }

  get stats(): SyncStats {
    const { snapshot, client } = this.#parts
    return this.#isBeginning && snapshot !== null ? snapshot.stats : client.stats
  }

  start(): void {
    this.#begun ??= this.#run().catch((error: unknown) => {
      this.#parts.log.error({ err: error }, 'synchronisation could not begin')
    })
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
    await this.#begun
  }

  async #run(): Promise<void> {
    const { client, snapshot, store } = this.#parts
    const end = snapshot === null ? 'full' : await snapshot.run()
    if (end === 'stopped' || this.#isClosed) return
    if (end === 'full' && store !== null) await this.#discard(store)
    this.#isBeginning = false
    client.start()
  }

  /** What an earlier run fetched of a snapshot is of no use to a chain that is executed from genesis. */
  async #discard(store: Pick<SnapshotStore, 'position' | 'discard'>): Promise<void> {
    const { headers, target } = await store.position()
    if (headers === null && target === null) return
    await store.discard()
    this.#parts.log.info('what was fetched of a snapshot is given up')
  }
}
