import { readStateChunk, STATE_CHUNK_SPAN, stateSize } from '../../native/stateChunks.ts'
import type { StateStore } from '../../native/stateStore.ts'
import type { ServedStates } from './snapAnswers.ts'

/** The states of a store for snapshot requests. @param store open, at least for reading */
export function storedStates(store: StateStore): {
  readonly source: ServedStates
  readonly chunkSpan: number
} {
  return {
    source: {
      size: (root) => stateSize(store, root),
      chunk: (root, from, limit) => readStateChunk(store, root, from, limit),
    },
    chunkSpan: STATE_CHUNK_SPAN,
  }
}
