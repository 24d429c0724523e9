import type { PackedBlocks } from '../../chain/import/messages.ts'
import type { SnapshotTarget } from '../../chain/tables/snapshotSyncState.ts'
import type { SnapshotStore } from './snapshotStore.ts'

/**
 * Messages between the peer thread and the chain thread. Byte arrays lose their Buffer methods on the way.
 */

/** A call of {@link SnapshotStore} by the peer thread. */
export type SnapshotStep =
  | { readonly step: 'position' | 'adopt' | 'discard' }
  | { readonly step: 'saveHeaders'; readonly record: Uint8Array }
  | { readonly step: 'setTarget'; readonly target: SnapshotTarget }
  | { readonly step: 'takeChunk'; readonly chunk: Uint8Array }
  | { readonly step: 'takeBlocks'; readonly blocks: PackedBlocks }

/** It uses the port that also carries blocks and transactions. */
export interface SnapshotCall {
  readonly call: 'snapshot'
  readonly id: number
  readonly work: SnapshotStep
}

/** The response: the result of the call, or why it failed. */
export type SnapshotNotice =
  | { readonly kind: 'snapshot'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'snapshotFailed'; readonly id: number; readonly reason: string }

/** Result of a call. */
export type ResultOf<K extends keyof SnapshotStore> = Awaited<ReturnType<SnapshotStore[K]>>
