import { Block, parseBlock } from '../../chain/codec/block.ts'
import { parseReceipt } from '../../chain/codec/receipt.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { NodeCommands, PoolReader } from '../../rpc/context.ts'
import type { DevCommands } from '../../rpc/devCommands.ts'
import type { MinerCommands } from '../../rpc/miningCommands.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'

/** The next block. */
export interface EncodedPendingBlock {
  /** Without proof of work. */
  readonly block: Buffer
  /** 12 bytes, or empty: the encoding of a block without proof of work does not hold it. */
  readonly forkDetectionData: Buffer
  readonly senders: readonly Buffer[]
  readonly receipts: readonly Buffer[]
}

/** Reads of the pool, encoded: decoded objects do not cross threads. */
export interface EncodedPool extends Pick<RemotePool, 'isPending' | 'nextNonce' | 'quota'> {
  /** A pending or queued transaction. */
  pooledTransaction(hash: Buffer): Promise<EncodedTransaction | null>
  pendingTransactions(): Promise<readonly EncodedTransaction[]>
  queuedTransactions(): Promise<readonly EncodedTransaction[]>
  /** The state after it is readable under its state root before this answers. */
  pendingBlock(): Promise<EncodedPendingBlock>
}

/** A pool that is always asked. */
type RemotePool = {
  [K in keyof PoolReader]: (...args: Parameters<PoolReader[K]>) => Promise<Awaited<ReturnType<PoolReader[K]>>>
}

/**
 * What the chain thread does for the others: all that a method can ask it for. Other threads have it as a proxy over a
 * port (`proxy.ts`).
 */
export interface ChainService
  extends Pick<NodeCommands, 'sendTransaction' | 'mine'>,
    DevCommands,
    MinerCommands,
    EncodedPool {
  /** Resolves when the store has taken a write. @throws ChainLinkError with what keeps it from that */
  probe(): Promise<void>
}

/**
 * The pool as methods read it: the next block is decoded, transactions are as they crossed.
 * @param isEmpty true where this thread knows that nothing is pending, so that the chain thread need not be asked
 */
export function createPoolReader(
  chain: EncodedPool,
  spec: NetworkSpec,
  isEmpty: () => boolean = () => false,
): PoolReader {
  return {
    transaction: (hash) => chain.pooledTransaction(hash),
    isPending: (hash) => chain.isPending(hash),
    nextNonce: (address) => (isEmpty() ? null : chain.nextNonce(address)),
    pending: () => chain.pendingTransactions(),
    queued: () => chain.queuedTransactions(),
    quota: (address) => chain.quota(address),
    block: async () => {
      const { block, forkDetectionData, senders, receipts } = await chain.pendingBlock()
      const { header, transactions, uncles } = parseBlock(spec, block)
      return {
        block: new Block(header.with({ forkDetectionData }), transactions, uncles),
        senders,
        receipts: receipts.map(parseReceipt),
      }
    },
  }
}
