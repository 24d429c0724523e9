import type { PackedBlocks } from '../../chain/import/messages.ts'
import type { SnapshotTarget } from '../../storage/snapshotSyncState.ts'
import type { SnapshotStore } from './snapshotStore.ts'

/** What crosses between the peer thread and the chain thread. Byte arrays lose their Buffer methods on the way. */

/** What the peer thread asks for: a call of {@link SnapshotStore}. */
export type SnapshotStep =
  | { readonly step: 'position' | 'adopt' | 'discard' }
  | { readonly step: 'saveHeaders'; readonly record: Uint8Array }
  | { readonly step: 'setTarget'; readonly target: SnapshotTarget }
  | { readonly step: 'takeChunk'; readonly chunk: Uint8Array }
  | { readonly step: 'takeBlocks'; readonly blocks: PackedBlocks }

/** On the port that blocks and transactions go through, too. */
export interface SnapshotCall {
  readonly call: 'snapshot'
  readonly id: number
  readonly work: SnapshotStep
}

/** The answer: what the call gave, or why it failed. */
export type SnapshotNotice =
  | { readonly kind: 'snapshot'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'snapshotFailed'; readonly id: number; readonly reason: string }

/** What a call gives. */
export type ResultOf<K extends keyof SnapshotStore> = Awaited<ReturnType<SnapshotStore[K]>>
