import type { Blockchain } from '../../chain/blockchain.ts'
import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { WorkSharing } from '../../mining/interface.ts'

/** The parts of the chain thread for sharing what happens in it. */
export interface SharedParts {
  readonly chain: Blockchain
  /** Makes durable what happened so far. @throws StorageError `STORAGE_UNWRITABLE` */
  commit(): Promise<void>
  /** @throws StorageError `STORAGE_UNWRITABLE` while the stores take no writes */
  assertWritable(): void
  /** Called with what fails while nobody waits for it. */
  onFailure(error: unknown): void
}

/**
 * When what happens in this thread may be shown, and what belongs to this node alone (src/fleet/fleet.md). A node alone
 * shows all at once.
 */
export interface ChainSharing {
  /** True when a block that is the heaviest becomes the head in the commit that executes it. */
  adoptsAtOnce(): boolean
  begin(parts: SharedParts): void
  /** Gives durable transactions to others. Resolves when they may be acknowledged; null for at once. */
  share(transactions: readonly Buffer[]): Promise<void> | null
  /** Resolves when the heaviest block is the head; null when it is. */
  settled(): Promise<void> | null
  /** Calls a listener with blocks that are the heaviest branch and not yet canonical, oldest first. */
  onExecuted(listener: (blocks: readonly BlockReference[]) => void): void
  /** A block is invalid here. */
  refused(hash: Buffer): void
  /** True when this node makes blocks by itself, on a development chain. */
  makesBlocks(): boolean
  /** @throws RpcError where another node makes the blocks */
  assertMaker(): void
  /**
   * @throws RpcError where others have this chain, too: no edits, rewinds, impersonated senders, blocks at each send
   */
  assertAlone(): void
  /** Sharing of work for pools; null where nobody else has it. */
  readonly work: WorkSharing | null
  /** Ends what waits. */
  close(): void
}

/** That of a node alone. */
export const NODE_ALONE: ChainSharing = {
  adoptsAtOnce: () => true,
  begin: () => undefined,
  share: () => null,
  settled: () => null,
  onExecuted: () => undefined,
  refused: () => undefined,
  makesBlocks: () => true,
  assertMaker: () => undefined,
  assertAlone: () => undefined,
  work: null,
  close: () => undefined,
}
