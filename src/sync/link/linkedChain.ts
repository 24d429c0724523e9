import type { MessagePort } from 'node:worker_threads'
import { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { packBlocks } from '../../chain/import/messages.ts'
import { readSenders } from '../../chain/import/readSenders.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { BlockOutcome, ChainTip, SyncChain, TipChange, TransactionOutcome } from '../syncChain.ts'
import { ByteGate } from './byteGate.ts'
import type { SyncCall, SyncLinkEvent, TipMessage } from './messages.ts'

const ENDED = 'the chain thread has ended'
/** Most bytes of blocks and transactions in progress at the chain thread; the rest waits here. */
export const LINK_BYTES: number = 24 * 1024 * 1024
/** Overhead of a block or a transaction, bytes. */
const OVERHEAD_BYTES = 256

/** The chain thread failed to execute a call. */
export class SyncLinkError extends Error {
  override readonly name = 'SyncLinkError'
  readonly code = 'SYNC_LINK'
}

/** The chain as the peer thread accesses it: reads by its own environment, writes through a port. */
export interface LinkedChain extends SyncChain {
  close(): void
}

interface Waiting {
  readonly resolve: (outcomes: never) => void
  readonly reject: (error: SyncLinkError) => void
}

/**
 * Connects to the chain over a port that the chain thread serves. Resolves when the head is known.
 * @param environment open for reading
 */
export function openLinkedChain(
  port: MessagePort,
  spec: NetworkSpec,
  environment: ChainEnvironment,
): Promise<LinkedChain> {
  const reader = new ChainStoreReader(spec, environment)
  const waiting = new Map<number, Waiting>()
  const tipListeners = new Set<(change: TipChange) => void>()
  const transactionListeners = new Set<(encoded: readonly Buffer[]) => void>()
  /**
   * Transactions that arrived before there was a listener; they are not acknowledged until then, so that no
   * more follow.
   */
  const undelivered: Buffer[][] = []
  const gate = new ByteGate(LINK_BYTES)
  let lastId = 0
  let tip: ChainTip | null = null
  let isClosed = false
  /** Resolves once the blocks of the latest call were sent. */
  let lastSent: Promise<unknown> = Promise.resolve()
  const ask = <T>(call: (id: number) => SyncCall, transfer: readonly ArrayBuffer[] = []): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) throw new SyncLinkError(ENDED)
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      port.postMessage(call(lastId), transfer)
    })
  const inGate = async <T>(given: readonly Buffer[], work: () => Promise<T>): Promise<T> => {
    const bytes = given.reduce((sum, { length }) => sum + length + OVERHEAD_BYTES, 0)
    await gate.enter(bytes)
    try {
      return await work()
    } finally {
      gate.leave(bytes)
    }
  }
  const connect = async (blocks: readonly Buffer[]): Promise<readonly BlockOutcome[]> => {
    // Senders of several groups are recovered in parallel; the groups are sent in the order of the calls.
    const turn = Promise.all([readSenders(spec, blocks), lastSent]).then(([read]) => {
      const packed = packBlocks(read)
      const { rlp, senders, table } = packed
      const outcomes = ask<readonly BlockOutcome[]>(
        (id) => ({ call: 'connect', id, blocks: packed }),
        [rlp.buffer, senders.buffer, table.buffer],
      )
      return { outcomes }
    })
    lastSent = turn.catch(() => undefined)
    return (await turn).outcomes
  }
  const acknowledge = () => port.postMessage({ call: 'acknowledge' } satisfies SyncCall)
  const deliver = (encoded: readonly Buffer[]) => {
    for (const listener of transactionListeners) listener(encoded)
    acknowledge()
  }
  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    return found
  }
  const current = (): ChainTip => {
    if (tip === null) throw new SyncLinkError('the head is not known yet')
    return tip
  }
  const chain: LinkedChain = {
    spec,
    reader,
    refresh: () => environment.refresh(),
    get tip() {
      return current()
    },
    connect: (blocks) => inGate(blocks, () => connect(blocks)),
    addTransactions: (encoded) =>
      inGate(encoded, () =>
        ask<readonly TransactionOutcome[]>((id) => ({
          call: 'addTransactions',
          id,
          // Copies, because a message transfers the whole memory of a view.
          encoded: encoded.map((item) => Uint8Array.from(item)),
        })),
      ),
    onTip: (listener) => {
      tipListeners.add(listener)
      return () => tipListeners.delete(listener)
    },
    onTransactions: (listener) => {
      transactionListeners.add(listener)
      for (const encoded of undelivered.splice(0)) deliver(encoded)
      return () => transactionListeners.delete(listener)
    },
    close: () => port.close(),
  }
  return new Promise((resolve) => {
    port.on('message', (notice: SyncLinkEvent) => {
      switch (notice.kind) {
        case 'connected':
        case 'added':
          settle(notice.id)?.resolve(withBuffers(notice.outcomes) as never)
          return
        case 'failed':
          settle(notice.id)?.reject(new SyncLinkError(notice.reason))
          return
        case 'transactions': {
          const encoded = notice.encoded.map(asBuffer)
          if (transactionListeners.size === 0) undelivered.push(encoded)
          else deliver(encoded)
          return
        }
        case 'tip': {
          const isFirst = tip === null
          tip = toTip(notice.tip)
          if (isFirst) resolve(chain)
          const enacted = notice.enacted.map(({ number, hash }) => ({ number, hash: asBuffer(hash) }))
          for (const listener of tipListeners) listener({ tip, enacted })
          acknowledge()
        }
      }
    })
    // There will be no response any more, so that waiting callers are rejected.
    port.on('close', () => {
      isClosed = true
      for (const { reject } of waiting.values()) reject(new SyncLinkError(ENDED))
      waiting.clear()
    })
  })
}

function withBuffers(
  outcomes: readonly (BlockOutcome | TransactionOutcome)[],
): readonly (BlockOutcome | TransactionOutcome)[] {
  return outcomes.map((outcome) =>
    typeof outcome === 'string' || outcome.status !== 'INVALID_BLOCK'
      ? outcome
      : { ...outcome, refusal: { ...outcome.refusal, hash: asBuffer(outcome.refusal.hash) } },
  )
}

function toTip({ number, hash, parentHash, totalDifficulty }: TipMessage): ChainTip {
  return { number, hash: asBuffer(hash), parentHash: asBuffer(parentHash), totalDifficulty }
}
