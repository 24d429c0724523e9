import type { BlockHeader } from '../../chain/codec/header.ts'
import type { ChainReader } from '../context.ts'
import { RpcError } from '../errors.ts'

/**
 * Lets heights through whose blocks a node keeps: genesis and those from its first block on.
 * @throws RpcError `historyNotKept` that names the first block
 */
export function assertKept(chain: Pick<ChainReader, 'history'>, number: number): void {
  const { firstBlock } = chain.history()
  if (number === 0 || number >= firstBlock) return
  throw blocksNotKept(number, firstBlock)
}

/** The error for a block, or a range that begins with it, that is not kept. */
export function blocksNotKept(number: number, firstBlock: number): RpcError {
  return new RpcError(
    'historyNotKept',
    `pruned history unavailable: block ${number} is not kept, this node keeps blocks from ${firstBlock}`,
  )
}

/** The error for a state that is not here: `historyNotKept` where it is older than all that are kept. */
export function stateNotFound(
  chain: Pick<ChainReader, 'history'>,
  header: BlockHeader,
  cause?: unknown,
): RpcError {
  const { firstState } = chain.history()
  if (header.number < firstState) {
    const message = `pruned history unavailable: the state of block ${header.number} is not kept, this node keeps states from block ${firstState}`
    return new RpcError('historyNotKept', message, { cause })
  }
  return new RpcError('notFound', `State not found for block with hash ${header.hashHex}`, { cause })
}
