import { type MessagePort, Worker } from 'node:worker_threads'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import { workerEntry, workerOptions } from '../../util/entry.ts'
import { NodeError } from '../errors.ts'
import type {
  AdminCall,
  PeerReport,
  PeerThreadMessage,
  PeerThreadOrder,
  PeerThreadSetup,
} from './messages.ts'
import type { PeerOptions } from './peerOptions.ts'

/** Longest time that the end of the peer thread is waited for, milliseconds: nothing is lost with it. */
const CLOSE_TIMEOUT = 3000

/** The peer thread as the front thread has it. */
export interface PeerHandle {
  readonly admin: PeerAdmin
  /** enode URL of this node. */
  readonly enode: string
  /** Port that peers are taken on; null where none are. */
  readonly port: number | null
  /** What it last told; null in the first moments. */
  readonly report: PeerReport | null
  /** Seconds so far in which the thread was not idle. */
  busySeconds(): number
  close(): Promise<void>
  /** Rejects with a NodeError when the thread ends by itself. */
  readonly failed: Promise<never>
}

/**
 * Starts the peer thread and waits until it listens.
 * @param chain port that the chain thread serves (`sync/link`)
 * @param onReport called with every report, once a second
 * @throws NodeError when the port is taken or the node key cannot be used
 */
export async function startPeerThread(
  options: PeerOptions,
  chain: MessagePort,
  onReport: (report: PeerReport) => void,
): Promise<PeerHandle> {
  const setup: PeerThreadSetup = { options, chain }
  const worker = new Worker(workerEntry('./peerThread.ts', import.meta.url), {
    workerData: setup,
    transferList: [chain],
    ...workerOptions(import.meta.url),
    name: 'peers',
  })
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let report: PeerReport | null = null
  let closing = false
  let settleClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    settleClosed = resolve
  })
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Whoever waits for it gets it; nobody has to.
  failed.catch(() => undefined)
  const tell = (order: PeerThreadOrder) => worker.postMessage(order)
  const ready = new Promise<Extract<PeerThreadMessage, { kind: 'ready' }>>((resolve, reject) => {
    worker.on('message', (message: PeerThreadMessage) => {
      switch (message.kind) {
        case 'ready':
          resolve(message)
          return
        case 'failed':
          closing = true
          reject(NodeError.fromObject(message.error))
          return
        case 'report':
          report = message.report
          onReport(message.report)
          return
        case 'answer':
          waiting.get(message.id)?.resolve(message.value as never)
          waiting.delete(message.id)
          return
        case 'refusal':
          waiting.get(message.id)?.reject(new Error(message.reason))
          waiting.delete(message.id)
          return
        case 'closed':
          settleClosed()
      }
    })
    const end = (error: NodeError) => {
      reject(error)
      if (!closing) fail(error)
      for (const asked of waiting.values()) asked.reject(error)
      waiting.clear()
      settleClosed()
    }
    worker.on('error', (cause: Error) =>
      end(new NodeError('PEER_THREAD', `the peer thread failed: ${cause.stack ?? cause.message}`, { cause })),
    )
    worker.on('exit', (code) => end(new NodeError('PEER_THREAD', `the peer thread ended with code ${code}`)))
  })
  const { enode, port } = await ready
  const ask = (call: AdminCall): Promise<never> =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      tell({ kind: 'admin', id: lastId, ...call })
    })
  return {
    admin: {
      self: () => ask({ call: 'self', args: [] }),
      peers: () => ask({ call: 'peers', args: [] }),
      add: (peer) => ask({ call: 'add', args: [peer] }),
      remove: (id) => ask({ call: 'remove', args: [id] }),
      scores: () => ask({ call: 'scores', args: [] }),
      clearScore: (id) => ask({ call: 'clearScore', args: [id] }),
      bans: () => ask({ call: 'bans', args: [] }),
      ban: (text) => ask({ call: 'ban', args: [text] }),
      unban: (text) => ask({ call: 'unban', args: [text] }),
    },
    enode,
    port,
    get report() {
      return report
    },
    busySeconds: () => worker.performance.eventLoopUtilization().active / 1000,
    failed,
    close: async () => {
      closing = true
      tell({ kind: 'close' })
      const late = setTimeout(settleClosed, CLOSE_TIMEOUT)
      await closed
      clearTimeout(late)
      await worker.terminate()
    },
  }
}
