import { addon } from './addon.ts'
import { NativeError, native } from './errors.ts'
import type { StateStore } from './stateStore.ts'
import type { PackedChunk, PieceReport } from './types.ts'

/** Compresses contents and hashes them (SHA-256, before compression), away from the calling thread. */
export function packChunk(contents: Uint8Array): Promise<PackedChunk> {
  return addon.packChunk(contents)
}

/**
 * The contents of a chunk, decompressed away from the calling thread. Takes no more memory than for their size.
 * Rejects with a text for people when they have not this size and hash.
 */
export function unpackChunk(packed: Uint8Array, size: number, hash: Uint8Array): Promise<Buffer> {
  return addon.unpackChunk(packed, size, hash)
}

/** The text of the core for a node that is not there. */
const MISSING_NODE = 'state is missing node'

/**
 * States on their way out of a store, in pieces of some 8 MiB. Nothing that is read ever changes, so blocks may be
 * stored meanwhile, by this process or another.
 */
export class StateCopy {
  readonly #copy: InstanceType<typeof addon.StateCopy>

  /**
   * @param root of the one state; null copies all that were ever stored
   * @throws NativeError `MissingState`
   */
  constructor(store: StateStore, root: Uint8Array | null) {
    this.#copy = native(() => new addon.StateCopy(store.handle, root))
  }

  /**
   * The next piece; null at the end. Rejects when a node is damaged, and with `NativeError` `MissingState` when one is
   * missing, as of a state that was given up meanwhile.
   */
  async next(): Promise<Buffer | null> {
    try {
      return await this.#copy.next()
    } catch (error) {
      // A rejected promise has no code of ours.
      if (!(error instanceof Error) || !error.message.startsWith(MISSING_NODE)) throw error
      throw new NativeError('MissingState', error.message, { cause: error })
    }
  }

  /** Trie nodes so far. */
  get nodes(): number {
    return this.#copy.nodes
  }

  /** Position behind what was copied so far. */
  get end(): number {
    return this.#copy.end
  }
}

/** States on their way into a store, or only checked: whatever root is found in them, its state is complete. */
export class StateIntake {
  readonly #intake: InstanceType<typeof addon.StateIntake>

  /**
   * @param store where they go, behind what it holds; null only checks them
   * @param single whether the pieces are of one state
   */
  constructor(store: StateStore | null, single: boolean) {
    this.#intake = native(() => new addon.StateIntake(store?.handle ?? null, single))
  }

  /** Position behind what was taken. */
  get end(): number {
    return this.#intake.end
  }

  /** Checks a piece and, with a store, makes it durable. Rejects with a text for people that says what is wrong. */
  take(piece: Uint8Array): Promise<PieceReport> {
    return this.#intake.take(piece)
  }

  /** True when the state under a root was among them. */
  hasRoot(root: Uint8Array): boolean {
    return native(() => this.#intake.hasRoot(root))
  }
}
