import { addon } from './addon.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { NativeChunkReport as NativeReport, StateChunk } from './types.ts'

/** The outcome of a chunk. */
export interface ChunkReport {
  /** The fault in it, which is that of its maker; null where it was taken. */
  readonly refused: string | null
  /** Nodes in it. */
  readonly nodes: number
  /** Start of the next one. */
  readonly next: number
  /** True when the state ends with it. */
  readonly complete: boolean
}

/** Bytes of a state that a chunk of snapshot sync spans (p2p.md §5 Snapshot sync): chunks begin at its multiples. */
export const STATE_CHUNK_SPAN: number = addon.stateChunkSpan()

/** Bytes of the state under a root as snapshot sync counts them; null where it is not here. */
export function stateSize(store: StateStore, root: Uint8Array): number | null {
  return native(() => addon.stateSize(store.handle, root))
}

/**
 * The chunk of the state under a root from an offset on, read away from the calling thread.
 * @param limit bytes that it may have
 * @returns null behind the end of the state, where it is not here, and for a chunk that is longer
 */
export function readStateChunk(
  store: StateStore,
  root: Uint8Array,
  from: number,
  limit: number,
): Promise<StateChunk | null> {
  return native(() => addon.readStateChunk(store.handle, root, from, limit))
}

/**
 * Checks, away from the calling thread, that a chunk has exactly the nodes from an offset on of the state under a
 * root. Keeps nothing.
 */
export async function checkStateChunk(
  body: Uint8Array,
  root: Uint8Array,
  from: number,
): Promise<ChunkReport> {
  return reportOf(await native(() => addon.checkStateChunk(body, root, from)))
}

/**
 * A state that comes in chunks, one after the other. Each is checked by itself and its nodes are appended to the
 * store; the state can be read once the last one was taken. Holds some 4 MiB, whatever the size of the state.
 */
export class ChunkIntake {
  readonly #intake: InstanceType<typeof addon.ChunkIntake>

  /**
   * @param saved what {@link save} gave for this root and store; null begins with the first chunk
   * @throws NativeError `InvalidArgument` when `saved` does not fit the root or the store
   */
  constructor(store: StateStore, root: Uint8Array, saved: Uint8Array | null) {
    this.#intake = native(() => new addon.ChunkIntake(store.handle, root, saved))
  }

  /** Start of the next chunk. */
  get next(): number {
    return this.#intake.next
  }

  /**
   * Checks and takes the chunk that begins at {@link next}. One that is refused changes nothing, and is the fault of
   * who sent it. Rejects when the store fails; the intake is not to be used any more then.
   */
  async take(body: Uint8Array): Promise<ChunkReport> {
    return reportOf(await this.#intake.take(body))
  }

  /** Makes what was taken durable. @returns a few kilobytes to go on with after a restart */
  save(): Promise<Buffer> {
    return this.#intake.save()
  }
}

function reportOf({ refused, nodes, next, complete }: NativeReport): ChunkReport {
  return { refused: refused ?? null, nodes, next, complete }
}
