import type { BlockHeader } from '../../chain/codec/header.ts'
import { firstBlockWithValues } from '../../chain/firstValues.ts'
import { toHex } from '../../util/bytes.ts'
import type { ChainReader, StateReader } from '../context.ts'
import { RpcError } from '../errors.ts'

/**
 * Accepts heights whose blocks the node keeps: genesis, and those from its first block on.
 * @throws RpcError `historyNotKept` that names the first block
 */
export function assertKept(chain: Pick<ChainReader, 'history'>, number: number): void {
  const { firstBlock } = chain.history()
  if (number === 0 || number >= firstBlock) return
  throw blocksNotKept(number, firstBlock)
}

/**
 * Accepts heights whose receipts the node keeps. Blocks that were backfilled below a snapshot have none.
 * @throws RpcError `historyNotKept` that names the first block, or the first with receipts
 */
export function assertReceiptsKept(chain: Pick<ChainReader, 'history'>, number: number): void {
  assertKept(chain, number)
  const { firstReceipts } = chain.history()
  if (number === 0 || number >= firstReceipts) return
  throw new RpcError(
    'historyNotKept',
    `pruned history unavailable: the receipts of block ${number} are not kept, this node keeps receipts from block ${firstReceipts}`,
  )
}

/** The error for a hash of no block. */
export function unknownBlock(hash: Buffer): RpcError {
  return new RpcError('unknownBlock', `unknown block ${toHex(hash)}`)
}

/** The error for a block that is not kept. */
function blocksNotKept(number: number, firstBlock: number): RpcError {
  return new RpcError(
    'historyNotKept',
    `pruned history unavailable: block ${number} is not kept, this node keeps blocks from ${firstBlock}`,
  )
}

/** The part of a chain reader that says from where on there is history. */
export type KeptBlocks = Pick<ChainReader, 'history' | 'headerByNumber'>

/** The parts of a context that say which states can be read. */
export interface KeptStates {
  readonly chain: KeptBlocks
  readonly state: Pick<StateReader, 'hasValues'>
}

/** The lowest block from which on values of states are kept, which is not above the first one whose trie is. */
export function firstBlockOfValues({ chain, state }: KeptStates): number {
  return firstBlockWithValues(chain.history(true).firstState, (number) => {
    const header = chain.headerByNumber(number)
    return header !== null && state.hasValues(header)
  })
}

/** The error for a state that is not here: `historyNotKept` where it is older than all that are kept. */
export function stateNotFound(kept: KeptStates, header: BlockHeader, cause?: unknown): RpcError {
  // It may have been given up while it was being read.
  const { firstState } = kept.chain.history(true)
  if (header.number < firstState) {
    // Of a state whose values are here it is the trie that is missing.
    const first = kept.state.hasValues(header) ? firstState : firstBlockOfValues(kept)
    const message = `pruned history unavailable: the state of block ${header.number} is not kept, this node keeps states from block ${first}`
    return new RpcError('historyNotKept', message, { cause })
  }
  return new RpcError('notFound', `State not found for block with hash ${header.hashHex}`, { cause })
}
