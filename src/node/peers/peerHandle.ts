import type { MessagePort } from 'node:worker_threads'
import type { Logger } from '../../observe/logger.ts'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { PeerThreadStatus } from '../../rpc/context.ts'
import { RpcError } from '../../rpc/errors.ts'
import { NodeError } from '../errors.ts'
import { KeptThread, type LifeParts } from '../keptThread.ts'
import type { PeerOptions } from '../options/peerOptions.ts'
import type {
  AdminCall,
  PeerReport,
  PeerThreadNotice,
  PeerThreadOrder,
  PeerThreadReady,
  PeerThreadSetup,
} from './messages.ts'
import { OperatorWishes } from './operatorWishes.ts'

const KIND = {
  name: 'peers',
  title: 'the peer thread',
  code: 'PEER_THREAD',
  patience: 3000,
  firstPause: 1000,
  longestPause: 60_000,
  longLife: 600_000,
} as const

/** Calls that may wait for a thread that is slow. */
const MAX_CALLS = 256

/** The parts of a {@link PeerHandle}. */
export interface PeerHandleParts {
  /** Module that the thread begins with. */
  readonly entry: URL
  readonly options: PeerOptions
  readonly log: Logger
  /** A new port that the chain thread serves (`sync/link`). */
  connect(): MessagePort
  /** Called with every report, once a second. */
  onReport(report: PeerReport): void
}

/** The peer thread as the front thread has it, whichever it is by now. */
export interface PeerHandle {
  readonly admin: PeerAdmin
  /** enode URL of this node. */
  readonly enode: string
  /** Its last report; without peers while there is no thread. Null in the first moments. */
  readonly report: PeerReport | null
  readonly status: PeerThreadStatus
  /** Seconds in which the present thread was not idle. */
  busySeconds(): number
  close(): Promise<void>
}

/**
 * Starts the peer thread and waits until it listens; when it dies later it is started again.
 * @throws NodeError when the port is taken or the node key cannot be used
 */
export async function startPeerThread(parts: PeerHandleParts): Promise<PeerHandle> {
  const thread = new PeerThread(parts)
  await thread.start()
  return thread
}

class PeerThread implements PeerHandle {
  readonly admin: PeerAdmin
  readonly #parts: PeerHandleParts
  readonly #wishes: OperatorWishes
  readonly #thread: KeptThread<PeerThreadReady, PeerThreadNotice>
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  #lastId = 0
  #port: number
  #enode = ''
  #report: PeerReport | null = null
  #fault: string | null = null

  constructor(parts: PeerHandleParts) {
    this.#parts = parts
    this.#wishes = new OperatorWishes(parts.options.statics)
    this.#port = parts.options.port
    this.#thread = new KeptThread({
      kind: { ...KIND, entry: parts.entry },
      log: parts.log,
      begin: () => this.#begin(),
      onReady: (ready) => this.#onReady(ready),
      onFailed: (error) => {
        this.#report = this.#report && withoutPeers(this.#report)
        this.#fault = error.message
      },
    })
    this.admin = {
      self: () => this.#ask({ call: 'self', args: [] }),
      peers: () => this.#ask({ call: 'peers', args: [] }),
      add: (peer) => this.#ask({ call: 'add', args: [peer] }),
      setMembers: (connect, trusted) => this.#ask({ call: 'setMembers', args: [connect, trusted] }),
      remove: (id) => this.#ask({ call: 'remove', args: [id] }),
      scores: () => this.#ask({ call: 'scores', args: [] }),
      clearScore: (id) => this.#ask({ call: 'clearScore', args: [id] }),
      bans: () => this.#ask({ call: 'bans', args: [] }),
      ban: (text) => this.#ask({ call: 'ban', args: [text] }),
      unban: (text) => this.#ask({ call: 'unban', args: [text] }),
    }
  }

  get enode(): string {
    return this.#enode
  }

  get report(): PeerReport | null {
    return this.#report
  }

  get status(): PeerThreadStatus {
    return { restarts: this.#thread.restarts, fault: this.#fault }
  }

  busySeconds(): number {
    return this.#thread.busySeconds()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  /** @throws NodeError */
  start(): Promise<void> {
    return this.#thread.start()
  }

  #begin(): LifeParts<PeerThreadNotice> {
    const { options, connect } = this.#parts
    const chain = connect()
    // Who knows this node by its port finds it again.
    const setup: PeerThreadSetup = {
      options: { ...options, port: this.#port, statics: this.#wishes.statics },
      chain,
    }
    return {
      data: setup,
      ports: [chain],
      onMessage: (notice) => this.#received(notice),
      onGone: (error) => {
        for (const { reject } of this.#waiting.values()) reject(error)
        this.#waiting.clear()
      },
    }
  }

  #onReady({ enode, port }: PeerThreadReady): void {
    this.#enode = enode
    this.#port = port ?? this.#port
    this.#fault = null
    for (const wish of this.#wishes.again) void this.#call(wish).catch(() => undefined)
    const { restarts } = this.#thread
    if (restarts > 0) this.#parts.log.info({ enode, restarts }, 'the peer thread runs again')
  }

  #received(notice: PeerThreadNotice): void {
    if (notice.kind === 'report') {
      this.#send({ kind: 'received' })
      this.#report = notice.report
      this.#parts.onReport(notice.report)
      return
    }
    const asked = this.#waiting.get(notice.id)
    this.#waiting.delete(notice.id)
    if (notice.kind === 'answer') asked?.resolve(notice.value as never)
    else asked?.reject(new Error(notice.reason))
  }

  /** @throws RpcError while the thread cannot answer */
  async #ask(asked: AdminCall): Promise<never> {
    if (this.#fault !== null) {
      throw new RpcError(
        'executionFailed',
        'the peer thread failed and is started again: ask again in a moment',
      )
    }
    try {
      const answer = await this.#call(asked)
      this.#wishes.record(asked)
      return answer
    } catch (error) {
      // Whoever asks need not know what it died of, which is in the log.
      if (!(error instanceof NodeError)) throw error
      throw new RpcError('executionFailed', 'the peer thread cannot answer: ask again in a moment')
    }
  }

  /** @throws Error with the thread's reason, NodeError `PEER_THREAD` when it ends or too many wait */
  #call(asked: AdminCall): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= MAX_CALLS) throw new NodeError('PEER_THREAD', 'the peer thread is busy')
      this.#lastId += 1
      this.#waiting.set(this.#lastId, { resolve, reject })
      this.#send({ kind: 'admin', id: this.#lastId, ...asked })
    })
  }

  #send(order: PeerThreadOrder): void {
    this.#thread.post(order)
  }
}

/** State while there is no thread. */
function withoutPeers(report: PeerReport): PeerReport {
  const { network, sync } = report
  return {
    ...report,
    network: { ...network, listening: null, inbound: 0, outbound: 0, halfOpen: 0, peers: [] },
    sync: {
      ...sync,
      stage: 'waiting',
      peersUsed: 0,
      headersPerSecond: 0,
      blocksPerSecond: 0,
      secondsLeft: null,
    },
  }
}
