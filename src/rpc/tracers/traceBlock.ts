import type { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { TraceForm } from '../../execution/traceForms.ts'
import type { TracedBlock, TracedTransaction } from '../../execution/transactionTracer.ts'
import { NativeError } from '../../native/errors.ts'
import type { Eventually, NodeContext } from '../context.ts'
import { RpcError, responseTooLarge } from '../errors.ts'
import type { BlockSelector } from '../params/blockSelector.ts'
import { assertKept, stateNotFound } from '../select/history.ts'
import { findHeader, isPending, withPending } from '../select/resolveBlock.ts'

const HASH_BYTES = 32

/** A canonical transaction in its block. */
export interface FoundTransaction {
  readonly block: Block
  readonly index: number
}

/** The canonical transaction with a hash; null when there is none. */
export function findTransaction({ chain }: NodeContext, hash: Buffer): FoundTransaction | null {
  if (hash.length !== HASH_BYTES) return null
  const location = chain.locateTransaction(hash)
  const block = location === null ? null : chain.blockByHash(location.blockHash)
  return location === null || block === null ? null : { block, index: location.index }
}

/** Runs a read on the block that the selector names, the pending one included; null when there is none. */
export function atStoredBlock<T>(
  context: NodeContext,
  selector: BlockSelector,
  read: (block: Block) => T,
): Eventually<T | null> {
  if (isPending(selector)) return withPending(context, ({ block }) => read(block))
  const header = findHeader(context, selector)
  const block = header === null ? null : context.chain.blockByHash(header.hash)
  return block === null ? null : read(block)
}

/**
 * Traces transactions of a block, all unless `wanted` says which. The genesis block has none.
 * @throws RpcError when the answer would be too large or the state is not here
 */
export function traceTransactions(
  context: NodeContext,
  block: Block,
  form: TraceForm,
  wanted?: readonly number[],
): readonly TracedTransaction[] {
  if (block.number === 0) return []
  const { parentHash } = block.header
  const parent = context.chain.headerByHash(parentHash)
  if (parent === null) assertKept(context.chain, block.number - 1)
  // The chain may be rewound below the parent of a pending block meanwhile.
  if (parent === null) {
    throw new RpcError('notFound', `State not found for block with hash ${parentHash.toString('hex')}`)
  }
  const traced: TracedBlock = { block, parent }
  return tracing(context, parent, () => context.tracing.block(traced, form, wanted))
}

/**
 * Runs a trace and converts its failures to JSON-RPC errors.
 * @param header block whose state it needs
 * @throws RpcError
 */
export function tracing<T>(context: NodeContext, header: BlockHeader, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof NativeError)) throw error
    if (error.code === 'OutputLimit')
      throw responseTooLarge(context.node.settings.answerBytes, { cause: error })
    // A call that cannot run at all, or a block made after its parent's state was edited by hand.
    if (error.code === 'InvalidBlock') {
      throw new RpcError('executionFailed', `tracing failed: ${error.message}`, { cause: error })
    }
    if (error.code !== 'MissingState') throw error
    throw stateNotFound(context, header, error)
  }
}
