import type { MessagePort } from 'node:worker_threads'
import { Block, parseBlock } from '../chain/codec/block.ts'
import { parseReceipt } from '../chain/codec/receipt.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { BlockAdjustment } from '../mining/adjustablePolicy.ts'
import type { MineRequest, ProducerMode } from '../mining/blockProducer.ts'
import type { NodeCommands, PoolReader, SendOutcome } from '../rpc/context.ts'
import type { AccountEdit, DevCommands, PoolSelection } from '../rpc/devCommands.ts'
import { type ErrorData, RpcError, type RpcErrorKind } from '../rpc/errors.ts'
import type { RefusalStats } from '../txpool/errors.ts'
import type { SignedTransaction } from '../txpool/interface.ts'
import type { QuotaBalance } from '../txpool/quota.ts'
import { asBuffer } from '../util/bytes.ts'
import { decodeSolutionOutcome, decodeWork, type MiningLink, type MiningLinkService } from './miningLink.ts'
import { raisedBy, type StopFlag } from './stopFlag.ts'

/** A transaction as it crosses threads. */
export interface EncodedTransaction {
  readonly encoded: Uint8Array
  /** 20 bytes. */
  readonly sender: Uint8Array
}

/** The next block as it crosses threads. */
export interface EncodedPendingBlock {
  /** Without proof of work. */
  readonly block: Uint8Array
  /** 12 bytes, or empty: the encoding of a block without proof of work does not hold it. */
  readonly forkDetectionData: Uint8Array
  readonly senders: readonly Uint8Array[]
  readonly receipts: readonly Uint8Array[]
}

/** An outcome as it crosses threads: byte arrays lose their Buffer methods. */
export type EncodedOutcome =
  | { readonly status: 'accepted'; readonly hash: Uint8Array }
  | { readonly status: 'refused'; readonly reason: string; readonly stats: RefusalStats }

/**
 * What the chain thread does for the other threads. The state after the pending block must be readable
 * under its state root before `pendingBlock` answers.
 */
export interface ChainService extends DevService, MiningLinkService {
  pendingTransaction(hash: Uint8Array): EncodedTransaction | null
  /** Nonce after the sender's pending transactions; null when it has none. */
  nextNonce(address: Uint8Array): bigint | null
  pendingTransactions(): readonly EncodedTransaction[]
  queuedTransactions(): readonly EncodedTransaction[]
  quotaBalance(address: Uint8Array): QuotaBalance | null
  pendingBlock(): EncodedPendingBlock | Promise<EncodedPendingBlock>
  sendTransaction(encoded: Uint8Array): EncodedOutcome | Promise<EncodedOutcome>
  /** Resolves when the store has taken a write. */
  probe(): Promised<void>
}

type Promised<T> = T | Promise<T>

/** Control over a development chain, as {@link DevCommands} has it; refusals are thrown as RpcError. */
export interface DevService {
  /** @param stop when it is raised, the block at hand is the last one */
  mine(request: MineRequest, stop?: StopFlag): Promised<void>
  snapshot(): Promised<number>
  revert(id: bigint): Promised<boolean>
  reset(): Promised<void>
  increaseTime(seconds: number): Promised<number>
  setNextBlockTimestamp(timestamp: number): Promised<void>
  setTimestampInterval(seconds: number | null): Promised<boolean>
  adjustBlocks(adjustment: BlockAdjustment): Promised<void>
  dropTransactions(selection: PoolSelection): Promised<boolean>
  dumpState(): Promised<Uint8Array>
  loadState(dump: Uint8Array, stop?: StopFlag): Promised<void>
  instance(): Promised<string>
  mode(): Promised<ProducerMode>
  setAutomine(on: boolean): Promised<void>
  setInterval(seconds: number | null): Promised<void>
  setMining(on: boolean): Promised<void>
  editAccount(edit: AccountEdit): Promised<void>
  importBlock(encoded: Uint8Array): Promised<Uint8Array>
  sendImpersonated(encoded: Uint8Array): Promised<EncodedOutcome>
}

type Call = {
  [K in keyof ChainService]: {
    readonly id: number
    readonly call: K
    readonly args: Parameters<ChainService[K]>
  }
}[keyof ChainService]

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string }
  | { readonly id: number; readonly refusal: Refusal }

/** An {@link RpcError} as it crosses threads. */
interface Refusal {
  readonly kind: RpcErrorKind
  readonly message: string
  readonly data: ErrorData | undefined
}

/** The chain thread could not do what was asked of it. */
export class ChainLinkError extends Error {
  override readonly name = 'ChainLinkError'
  readonly code = 'CHAIN_LINK'
}

/** Answers the calls that come through a port. To be called in the chain thread, once per port. */
export function serveChainLink(port: MessagePort, service: ChainService): void {
  // Answers that are ready together, as those of a group of sends are, go in one message.
  const send = createOutbox<Reply>(port, queueMicrotask)
  port.on('message', (calls: readonly Call[]) => {
    for (const call of calls) void answer(service, call).then(send)
  })
}

/** Most in one message: whoever gets it begins while the rest is put together. */
const MOST_IN_MESSAGE = 16

/** Sends what comes until `when` runs what it is given in one message: waking a thread costs more than the rest. */
function createOutbox<T>(port: MessagePort, when: (flush: () => void) => void): (message: T) => void {
  let waiting: T[] = []
  const flush = () => {
    if (waiting.length === 0) return
    port.postMessage(waiting)
    waiting = []
  }
  return (message) => {
    const count = waiting.push(message)
    if (count >= MOST_IN_MESSAGE) flush()
    else if (count === 1) when(flush)
  }
}

async function answer(service: ChainService, { id, call, args }: Call): Promise<Reply> {
  try {
    const method = service[call].bind(service) as (...args: readonly unknown[]) => unknown
    return { id, value: await method(...args) }
  } catch (error) {
    if (error instanceof RpcError) {
      const { kind, message, data } = error
      return { id, refusal: { kind, message, data } }
    }
    return { id, failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Pool and writer as another thread reaches them. */
export interface ChainLink {
  readonly pool: PoolReader
  readonly commands: Omit<NodeCommands, 'mining'>
  readonly mining: MiningLink
  /** Resolves when the store has taken a write. @throws ChainLinkError with what keeps it from that */
  probe(): Promise<void>
}

/** The other end of a port that the chain thread serves. */
export function createChainLink(port: MessagePort, spec: NetworkSpec): ChainLink {
  const ask = createAsker(port)
  return {
    pool: {
      transaction: async (hash) => {
        const found = await ask('pendingTransaction', hash)
        return found === null ? null : decode(found)
      },
      nextNonce: (address) => ask('nextNonce', address),
      pending: async () => (await ask('pendingTransactions')).map(decode),
      queued: async () => (await ask('queuedTransactions')).map(decode),
      quota: (address) => ask('quotaBalance', address),
      block: async () => {
        const { block, forkDetectionData, senders, receipts } = await ask('pendingBlock')
        const { header, transactions, uncles } = parseBlock(spec, block)
        return {
          block: new Block(
            header.with({ forkDetectionData: asBuffer(forkDetectionData) }),
            transactions,
            uncles,
          ),
          senders: senders.map(asBuffer),
          receipts: receipts.map(parseReceipt),
        }
      },
    },
    commands: {
      // A copy of its own: a message carries the whole memory that a view is of.
      sendTransaction: async (encoded) => toOutcome(await ask('sendTransaction', Uint8Array.from(encoded))),
      mine: (request = {}, signal) => ask('mine', request, ...stopOf(signal)),
      dev: createDevCommands(ask),
    },
    probe: () => ask('probe'),
    mining: {
      work: async () => decodeWork(await ask('work')),
      submit: async (solution) => decodeSolutionOutcome(await ask('submitSolution', solution)),
      submitTemplate: async (solution) => decodeSolutionOutcome(await ask('submitTemplate', solution)),
    },
  }
}

type Asker = <K extends keyof ChainService>(
  call: K,
  ...args: Parameters<ChainService[K]>
) => Promise<Awaited<ReturnType<ChainService[K]>>>

function createAsker(port: MessagePort): Asker {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let lastId = 0
  const settle = (reply: Reply) => {
    const asked = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('failure' in reply) asked?.reject(new ChainLinkError(reply.failure))
    else if ('refusal' in reply) asked?.reject(toRpcError(reply.refusal))
    else asked?.resolve(reply.value as never)
  }
  port.on('message', (replies: readonly Reply[]) => replies.forEach(settle))
  // Calls of one turn of the loop go in one message.
  const send = createOutbox<Call>(port, setImmediate)
  // Nobody answers any more: whoever waits must not wait for good.
  port.on('close', () => {
    for (const { reject } of waiting.values()) reject(new ChainLinkError('the chain thread has ended'))
    waiting.clear()
  })
  return (call, ...args) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      send({ id: lastId, call, args } as Call)
    })
}

function createDevCommands(ask: Asker): DevCommands {
  return {
    snapshot: () => ask('snapshot'),
    revert: (id) => ask('revert', id),
    reset: () => ask('reset'),
    increaseTime: (seconds) => ask('increaseTime', seconds),
    setNextBlockTimestamp: (timestamp) => ask('setNextBlockTimestamp', timestamp),
    setTimestampInterval: (seconds) => ask('setTimestampInterval', seconds),
    adjustBlocks: (adjustment) => ask('adjustBlocks', adjustment),
    dropTransactions: (selection) => ask('dropTransactions', selection),
    dumpState: async () => asBuffer(await ask('dumpState')),
    // A copy of its own: a message carries the whole memory that a view is of.
    loadState: (dump, signal) => ask('loadState', Uint8Array.from(dump), ...stopOf(signal)),
    instance: () => ask('instance'),
    mode: () => ask('mode'),
    setAutomine: (on) => ask('setAutomine', on),
    setInterval: (seconds) => ask('setInterval', seconds),
    setMining: (on) => ask('setMining', on),
    editAccount: (edit) => ask('editAccount', edit),
    importBlock: async (encoded) => asBuffer(await ask('importBlock', encoded)),
    sendImpersonated: async (encoded) => toOutcome(await ask('sendImpersonated', encoded)),
  }
}

/** The last parameter of a call that can be stopped. */
function stopOf(signal: AbortSignal | undefined): [] | [StopFlag] {
  return signal === undefined ? [] : [raisedBy(signal)]
}

function toRpcError({ kind, message, data }: Refusal): RpcError {
  return new RpcError(kind, message, data === undefined ? {} : { data })
}

function toOutcome(outcome: EncodedOutcome): SendOutcome {
  return outcome.status === 'refused' ? outcome : { status: 'accepted', hash: asBuffer(outcome.hash) }
}

function decode({ encoded, sender }: EncodedTransaction): SignedTransaction {
  return { transaction: parseTransaction(encoded), sender: asBuffer(sender) }
}
