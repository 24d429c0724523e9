import type { BlockHeader } from '../chain/codec/header.ts'
import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { MiningWork } from '../mining/interface.ts'
import type { EncodedObjectCache } from '../native/encodedObjectCache.ts'
import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'

/** A change of the canonical chain. */
export interface HeadNotice {
  /** Blocks that left the canonical chain, newest first. */
  readonly retracted: readonly BlockReference[]
  /** Blocks that joined it, oldest first. */
  readonly enacted: readonly BlockReference[]
}

/** Progress of synchronisation, block numbers. */
export interface SyncNotice {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** Reads of blocks, canonical or not. */
export interface EventChain {
  headerByHash(hash: Buffer): BlockHeader | null
  /** The same also of a block that a rewind disconnected. */
  storedHeader(hash: Buffer): BlockHeader | null
  /** Hash of the canonical block of that height. */
  hashByNumber(number: number): Buffer | null
  storedReceipts(block: BlockReference): Buffer | null
  storedBody(block: BlockReference): Buffer | null
}

/** The sources that events are made of. */
export interface EventSources {
  readonly chain: EventChain
  /** Logs of blocks as text. */
  readonly encodedObjects: EncodedObjectCache
  /** To be called before reads that no request and no notice asks for; not needed where reads see what is newest. */
  readonly takeSnapshot?: () => void
}

/** JSON texts of events. */
export interface EventTexts {
  header(header: BlockHeader): string
  pendingTransaction(transaction: EncodedTransaction): Uint8Array
  syncing(progress: SyncNotice | null): string
  work(work: MiningWork): string
}
