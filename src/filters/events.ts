import type { BlockHeader } from '../chain/codec/header.ts'
import type { LogCursor } from '../chain/logs/logCursor.ts'
import type { MiningWork } from '../mining/interface.ts'
import type { BlockReference } from '../storage/blockKey.ts'

/** A change of the canonical chain. */
export interface HeadNotice {
  /** Blocks that left the canonical chain, newest first. */
  readonly retracted: readonly BlockReference[]
  /** Blocks that joined it, oldest first. */
  readonly enacted: readonly BlockReference[]
}

/** A transaction that entered the pending set, or came back to it by a reorganisation. */
export interface PendingNotice {
  readonly hash: Buffer
  /** RLP. */
  readonly encoded: Buffer
  /** 20 bytes. */
  readonly sender: Buffer
}

/** Progress of synchronisation, block numbers. */
export interface SyncNotice {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** What events are made of: reads of blocks, canonical or not. */
export interface EventChain {
  headerByHash(hash: Buffer): BlockHeader | null
  storedReceipts(block: BlockReference): Buffer | null
  transactionHashes(block: BlockReference): { at(index: number): Buffer } | null
}

/** The block whose logs are written. */
export interface EventLogBlock extends BlockReference {
  readonly transactionHashes: { at(index: number): Buffer }
}

/** JSON texts of events. */
export interface EventTexts {
  header(header: BlockHeader): string
  /** Writer of the logs of one block. */
  logs(block: EventLogBlock, removed: boolean): { write(log: LogCursor): string }
  pendingTransaction(notice: PendingNotice): string
  syncing(progress: SyncNotice | null): string
  work(work: MiningWork): string
}
