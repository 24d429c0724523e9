import { createTransactionTracer, type TransactionTracer } from '../../execution/transactionTracer.ts'
import { type BranchEvidence, ForkPin } from '../../fork/forkPin.ts'
import { type BelowParts, type BlockBelow, openBlockBelow } from '../../fork/stateBelow.ts'
import { createNativeChainSpec } from '../../native/chainSpec.ts'
import { NativeError } from '../../native/errors.ts'
import { toHex } from '../../util/bytes.ts'
import type { ChainReader, NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { RpcResult } from '../json.ts'
import type { ForkRequest } from './forkRequest.ts'

/** Requests to the upstream for one trace. */
const MAX_REQUESTS = 5000
/** Milliseconds in which wishes of a run have reached the event loop. */
const HAND_OVER = 2

/**
 * Traces of blocks up to that of a fork, of an upstream that does not serve them: the block is executed here on the state
 * of its parent, which is read of the upstream as that of the fork is.
 */
export class TracesBelow {
  readonly #parts: BelowParts
  readonly #pin: ForkPin
  /** The last block: traces of its other transactions find its state in memory. */
  #last: BlockBelow | null = null

  /** @param parts with an upstream that nobody else asks */
  constructor(parts: BelowParts) {
    this.#parts = parts
    this.#pin = new ForkPin(parts)
  }

  /**
   * Runs a method that traces on a canonical block of the upstream.
   * @param values parameters of the method
   * @throws UpstreamError, RpcError `upstreamFailed` where the state of the parent takes too long
   */
  async run(request: ForkRequest, values: readonly unknown[], number: number): Promise<RpcResult> {
    const { context, method, preferences } = request
    const { upstream, patience } = this.#parts
    const until = performance.now() + patience
    upstream.allow(MAX_REQUESTS)
    const below = await this.#open(number)
    const over = contextOf(context, below)
    for (;;) {
      try {
        return (await method.run(over, values, preferences)) as RpcResult
      } catch (error) {
        if (!(error instanceof NativeError) || error.code !== 'NotFetched') throw error
      }
      const left = until - performance.now()
      if (left <= 0 || (await isLate(below, left))) {
        throw new RpcError(
          'upstreamFailed',
          `block ${number} could not be executed within ${patience / 1000} s: the network that this chain is a fork of gives no traces, and its state came too slowly (--fork-timeout)`,
        )
      }
      context.refresh()
    }
  }

  async #open(number: number): Promise<BlockBelow> {
    const last = this.#last
    // It is of the fork's branch, and its reads look after themselves.
    if (last?.block.number === number) return last
    this.#last = null
    last?.close()
    let opened: BlockBelow | null = null
    try {
      this.#last = await this.#pin.ask(async () => {
        opened?.close()
        opened = await openBlockBelow(this.#parts, number)
        return opened
      }, evidenceOf)
    } catch (error) {
      ;(opened as BlockBelow | null)?.close()
      throw error
    }
    return this.#last
  }
}

/** The block has its hash and that of its parent, which were computed here. */
function evidenceOf({ block }: BlockBelow): BranchEvidence {
  const own = { number: block.number, hash: toHex(block.hash) }
  const parent = { number: block.number - 1, hash: toHex(block.header.parentHash) }
  return { blocks: [own, parent], isSettled: true }
}

async function isLate(below: BlockBelow, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), milliseconds)
  })
  const settled = async () => {
    await new Promise((resolve) => setTimeout(resolve, HAND_OVER))
    await below.settled()
    return false
  }
  try {
    return await Promise.race([settled(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** The context of a node that has the block and the state of its parent. */
function contextOf(context: NodeContext, below: BlockBelow): NodeContext {
  const { spec, store } = below
  const tracer = createTransactionTracer({
    ...{ spec, store },
    nativeSpec: createNativeChainSpec(spec),
    interrupt: context.interrupt,
    maxBytes: context.node.settings.answerBytes,
  })
  return { ...context, chain: chainOf(context.chain, below), tracing: withoutWaiting(tracer, below) }
}

/** The answers come in this thread: it must not wait for them in the native core. */
function withoutWaiting(tracer: TransactionTracer, { store }: BlockBelow): TransactionTracer {
  const run = <T>(trace: () => T): T => {
    store.mayWaitForFork(false)
    try {
      return trace()
    } finally {
      store.mayWaitForFork(true)
    }
  }
  return {
    block: (block, form, wanted) => run(() => tracer.block(block, form, wanted)),
    call: (header, call, form) => run(() => tracer.call(header, call, form)),
  }
}

function chainOf(chain: ChainReader, { block, parent }: BlockBelow): ChainReader {
  const headerByHash = (hash: Buffer) =>
    [block.header, parent].find((header) => header.hash.equals(hash)) ?? chain.headerByHash(hash)
  const headerByNumber = (number: number) =>
    [block.header, parent].find((header) => header.number === number) ?? chain.headerByNumber(number)
  const own: Partial<ChainReader> = {
    headerByHash,
    headerByNumber,
    storedHeader: headerByHash,
    hashByNumber: (number) => headerByNumber(number)?.hash ?? null,
    blockByHash: (hash) => (block.hash.equals(hash) ? block : chain.blockByHash(hash)),
    locateTransaction: (hash) => {
      const index = block.transactions.findIndex((transaction) => transaction.hash.equals(hash))
      return index < 0 ? chain.locateTransaction(hash) : { blockHash: block.hash, index }
    },
    history: () => ({ firstBlock: 0, firstReceipts: 0, firstState: 0 }),
  }
  return new Proxy(chain, {
    get: (target, name) => {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
