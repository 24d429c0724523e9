import { MessageChannel } from 'node:worker_threads'
import type { HeadNotice } from '../../filters/events.ts'
import { asBuffer } from '../../util/bytes.ts'
import { NodeError } from '../errors.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import { localCaller } from '../proxy/localCaller.ts'
import { type ChainHandle, type ChainHandleListener, reportEvent } from './chainHandle.ts'
import { ChainHost } from './chainHost.ts'

/**
 * Opens the chain in the calling thread: no message, no waking of a thread and no second heap, but whoever is answered
 * there waits while a block is made.
 * @throws NodeError when the data directory cannot be used
 */
export function openChainHere(options: ChainOptions, listener: ChainHandleListener): ChainHandle {
  const later = inOrder()
  let isPoolEmpty = false
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Whoever waits for it gets it; nobody has to.
  failed.catch(() => undefined)
  const host = new ChainHost(options, {
    onEvent: (event) => {
      const header = event.kind === 'head' ? headerOf(event.notice) : null
      later(() => {
        if (event.kind === 'head') isPoolEmpty = event.pool.pending === 0
        if (header !== null) listener.onHeader(header)
        reportEvent(listener, event)
      })
    },
    onPending: (transactions) =>
      later(() => {
        isPoolEmpty = false
        listener.onPending(transactions)
      }),
    onBroken: fail,
  })
  const { core, opened } = host
  /** The header of the last block that joined the chain, as the chain has it. */
  const headerOf = ({ enacted }: HeadNotice) => {
    const { head } = core.open.chain
    return enacted.at(-1)?.hash.equals(head.hash) === true ? head : null
  }
  const connect = (serve: (port: MessageChannel['port2']) => void) => {
    const { port1, port2 } = new MessageChannel()
    serve(port2)
    return port1
  }
  return {
    service: localCaller(host.service),
    head: opened.head,
    headTime: opened.timestamp,
    pool: opened.pool,
    isPoolEmpty: () => isPoolEmpty,
    busySeconds: () => 0,
    choices: {
      coinbase: opened.coinbase === null ? null : asBuffer(opened.coinbase),
      priceTarget: opened.priceTarget,
    },
    restored: opened.restored,
    start: () => core.start(),
    serve: (port) => host.serve(port),
    connectPeers: () => connect((port) => host.servePeers(port)),
    connectFleet: () => {
      throw new NodeError('CHAIN_THREAD', 'a member of a fleet has its chain in a thread')
    },
    endRequests: () => core.endRequests(),
    close: () => core.close(),
    failed,
  }
}

/**
 * Runs what it gets in a microtask, in order: after the commit that an event is of, before the answer to the call that
 * led to it.
 */
function inOrder(): (action: () => void) => void {
  let waiting: (() => void)[] = []
  const run = () => {
    const due = waiting
    waiting = []
    for (const action of due) action()
  }
  return (action) => {
    if (waiting.length === 0) queueMicrotask(run)
    waiting.push(action)
  }
}
