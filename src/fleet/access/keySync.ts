import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { AccessStore } from '../../storage/access/accessStore.ts'
import { type FleetKey, holdsOver } from '../../storage/access/fleetKey.ts'
import { everyAligned } from '../alignedTimer.ts'
import { BucketFollower } from '../nats/bucketFollower.ts'
import { openBucket } from '../nats/buckets.ts'
import type { FleetPartContext } from '../part.ts'
import { idOfBucketName, readKeyEntry, writeKey } from './keyBucket.ts'

/** Milliseconds between two looks whether a command changed keys here. */
const LOOK_PERIOD = 500

interface KeptKey {
  readonly revision: number
  /** Null for none, `unreadable` for what another program wrote: that stays. */
  readonly record: FleetKey | 'unreadable' | null
}

/** Keys of the bucket go to the access store, and keys that were changed here alone are offered (fleet.md §6). */
export class KeySync {
  readonly #context: FleetPartContext
  readonly #store: AccessStore
  readonly #follower: BucketFollower
  readonly #endLooking: () => void
  /** The records of the bucket, by id of the key. */
  readonly #kept = new Map<string, KeptKey>()
  #arrived: FleetKey[] = []
  #revision = -1
  #isOffering = false

  constructor(context: FleetPartContext, store: AccessStore) {
    const onFailure = (error: unknown) => context.onFailure('keys', error)
    this.#context = context
    this.#store = store
    const take = () => {
      const keys = this.#arrived
      this.#arrived = []
      if (store.takeFleetKeys(keys)) context.notifyFront({ kind: 'keys' })
    }
    this.#follower = new BucketFollower({
      open: () => openBucket(context.jetstream, context.names.keys),
      onReplaced: () => this.#kept.clear(),
      onEntry: (entry) => {
        this.#take(entry)
        if (this.#follower.whole !== null) take()
      },
      onWhole: (bucket) => {
        take()
        void this.#offer(bucket).catch(onFailure)
      },
      onFailure,
    })
    this.#endLooking = everyAligned(LOOK_PERIOD, () => {
      const bucket = this.#follower.whole
      if (bucket !== null && store.revision() !== this.#revision) void this.#offer(bucket).catch(onFailure)
    })
  }

  restart(): void {
    this.#follower.restart()
  }

  stop(): void {
    this.#endLooking()
    this.#follower.stop()
  }

  #take(entry: KvWatchEntry): void {
    const id = idOfBucketName(entry.key)
    if (id === null) return
    const record = readKeyEntry(entry)
    const isUnreadable = record === null && entry.operation === 'PUT'
    this.#kept.set(id, { revision: entry.revision, record: isUnreadable ? 'unreadable' : record })
    if (isUnreadable) this.#context.count('skippedKeys')
    if (record !== null) this.#arrived.push(record)
  }

  /** Gives the bucket what holds over its records: changes of this member alone, and what it has lost. */
  async #offer(bucket: KV): Promise<void> {
    if (this.#isOffering || !this.#context.isConnected()) return
    this.#isOffering = true
    const revision = this.#store.revision()
    try {
      for (const record of this.#store.fleetKeys()) {
        const kept = this.#kept.get(record.key.id)
        if (kept?.record === 'unreadable' || (kept?.record && !holdsOver(record, kept.record))) continue
        if (await writeKey(bucket, record, kept?.revision ?? 0)) this.#context.count('offeredKeys')
      }
      this.#revision = revision
    } finally {
      this.#isOffering = false
    }
  }
}
