import type { BlockHeader } from '../../chain/codec/header.ts'
import type { ChainReader, Eventually, NodeContext, PendingBlock } from '../context.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { type BlockSelector, LATEST, pendingUnsupported } from '../params/blockSelector.ts'
import { assertKept } from './history.ts'

/**
 * Header of the block that the selector names; null when there is none or it is the pending one.
 * @throws RpcError when a map asks for a canonical block and it is not; `historyNotKept` for a number below what
 *   is kept
 */
export function findHeader({ chain, node }: NodeContext, selector: BlockSelector): BlockHeader | null {
  switch (selector.kind) {
    case 'number': {
      if (selector.number > Number.MAX_SAFE_INTEGER) return null
      assertKept(chain, Number(selector.number))
      return chain.headerByNumber(Number(selector.number))
    }
    case 'hash': {
      const header = chain.headerByHash(selector.hash)
      if (header !== null && selector.requireCanonical) {
        const canonical = chain.hashByNumber(header.number)
        if (canonical === null || !canonical.equals(selector.hash)) {
          throw new RpcError(
            'notFound',
            `Block with hash ${selector.text} is not canonical and it is required`,
          )
        }
      }
      return header
    }
    case 'tag':
      switch (selector.tag) {
        case 'latest':
          return chain.head()
        case 'earliest':
          return chain.headerByNumber(chain.history().firstBlock)
        case 'safe':
          return chain.headerByNumber(depthBelow(chain, node.settings.safeDepth))
        case 'finalized':
          return chain.headerByNumber(depthBelow(chain, node.settings.finalizedDepth))
        case 'pending':
          return null
      }
  }
}

/**
 * Hash of the block that the selector names, where nothing has to be decoded for it: `latest`, or a number; null
 * otherwise, and when there is none.
 * @throws RpcError as {@link findHeader}
 */
export function findHash({ chain }: NodeContext, selector: BlockSelector): Buffer | null {
  if (selector.kind === 'tag') return selector.tag === 'latest' ? chain.headHash() : null
  if (selector.kind === 'hash' || selector.number > Number.MAX_SAFE_INTEGER) return null
  assertKept(chain, Number(selector.number))
  return chain.hashByNumber(Number(selector.number))
}

/** Height some blocks below the head, or the lowest that is kept. */
function depthBelow(chain: ChainReader, depth: number): number {
  return Math.max(chain.history().firstBlock, chain.head().number - depth)
}

/**
 * Runs a read on the header that the selector names, the pending block's included.
 * @throws RpcError `Block <v> not found` (rpc.md §2)
 */
export function atBlock<T>(
  context: NodeContext,
  selector: BlockSelector,
  read: (header: BlockHeader) => T,
): Eventually<T> {
  if (isPending(selector)) return withPending(context, (pending) => read(pending.block.header))
  const header = findHeader(context, selector)
  if (header === null) throw blockNotFound(selector)
  return read(header)
}

/**
 * The same for simulations, whose error for an unknown number is worded differently.
 * @throws RpcError `Invalid block number <decimal>` (rpc.md §2)
 */
export function atBlockForCall<T>(
  context: NodeContext,
  selector: BlockSelector,
  read: (header: BlockHeader) => T,
): Eventually<T> {
  if (selector.kind !== 'number') return atBlock(context, selector, read)
  const header = findHeader(context, selector)
  if (header === null) throw invalidParams(`Invalid block number ${selector.number}`)
  return read(header)
}

/**
 * Blocks this far below the head count as recent, about two days of the main network. Older blocks may lie on pages
 * that have to be read from disk, which the front thread must not wait for.
 */
export const RECENT_DEPTH = 8192

/** True when the selector names a recent block by its number or a tag. */
export function isRecent({ chain }: NodeContext, selector: BlockSelector): boolean {
  if (selector.kind === 'hash') return false
  if (selector.kind === 'tag') return selector.tag !== 'earliest'
  const depth = BigInt(chain.head().number) - selector.number
  return depth >= 0n && depth <= RECENT_DEPTH
}

/** Runs a read on the pending block. */
export function withPending<T>(context: NodeContext, read: (pending: PendingBlock) => T): Eventually<T> {
  const pending = context.pool.block()
  return pending instanceof Promise ? pending.then(read) : read(pending)
}

/**
 * Whether the selector is the pending tag, for a method that does not support it according to the specification.
 * @throws RpcError where the node is configured to refuse it (decisions.md D28)
 */
export function asksForPending({ node }: NodeContext, selector: BlockSelector, method: string): boolean {
  if (!isPending(selector)) return false
  if (!node.settings.answersPending) throw pendingUnsupported(method)
  return true
}

/**
 * The block of a request that names no block.
 * @throws RpcError on a hosted endpoint, which requires it (specification.md Methods with full shape)
 */
export function latestUnlessHosted({ node }: NodeContext): BlockSelector {
  if (node.settings.hosted) throw invalidParams()
  return LATEST
}

/** True when the selector is the pending tag. */
export function isPending(selector: BlockSelector): boolean {
  return selector.kind === 'tag' && selector.tag === 'pending'
}

/** The error for a block that is not there. */
export function blockNotFound(selector: BlockSelector): RpcError {
  if (selector.kind === 'hash' && selector.inMap) {
    return new RpcError('notFound', `Block with hash ${selector.text} not found`)
  }
  const text = selector.kind === 'tag' ? selector.tag : selector.text
  return new RpcError('notFound', `Block ${text} not found`)
}
