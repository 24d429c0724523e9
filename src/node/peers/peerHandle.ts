import type { MessagePort } from 'node:worker_threads'
import type { Logger } from '../../observe/logger.ts'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { PeerThreadStatus } from '../../rpc/context.ts'
import { RpcError } from '../../rpc/errors.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import { NodeError } from '../errors.ts'
import type { PeerOptions } from '../options/peerOptions.ts'
import type { AdminCall, PeerReport } from './messages.ts'
import { OperatorWishes } from './operatorWishes.ts'
import { type PeerWorker, startPeerWorker } from './peerWorker.ts'

/** Pause before a thread that died is started again, milliseconds: each time twice as long, up to the longest. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000
/** A thread that lived so long did not die of what the one before died of, milliseconds. */
const LONG_LIFE = 600_000

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
  readonly #now = createSteadyClock()
  #port: number
  #enode = ''
  #worker: PeerWorker | null = null
  #report: PeerReport | null = null
  #restarts = 0
  #fault: string | null = null
  #pause = 0
  #began = 0
  #timer: NodeJS.Timeout | null = null
  #starting: Promise<void> = Promise.resolve()
  #isClosing = false

  constructor(parts: PeerHandleParts) {
    this.#parts = parts
    this.#wishes = new OperatorWishes(parts.options.statics)
    this.#port = parts.options.port
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
    return { restarts: this.#restarts, fault: this.#fault }
  }

  busySeconds(): number {
    return this.#worker?.busySeconds() ?? 0
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#starting
    await this.#worker?.close()
  }

  /** @throws NodeError */
  async start(): Promise<void> {
    const { entry, options, connect } = this.#parts
    const worker = await startPeerWorker({
      entry,
      // Who knows this node by its port finds it again.
      options: { ...options, port: this.#port, statics: this.#wishes.statics },
      chain: connect(),
      onReport: (report) => {
        this.#report = report
        this.#parts.onReport(report)
      },
    })
    this.#worker = worker
    this.#enode = worker.enode
    this.#port = worker.port ?? this.#port
    this.#fault = null
    this.#began = this.#now()
    void worker.died.then((error) => this.#onEnd(error))
    for (const wish of this.#wishes.again) void worker.ask(wish).catch(() => undefined)
  }

  /** @throws RpcError while the thread cannot answer */
  async #ask(asked: AdminCall): Promise<never> {
    if (this.#worker === null) {
      throw new RpcError(
        'executionFailed',
        'the peer thread failed and is started again: ask again in a moment',
      )
    }
    try {
      const answer = await this.#worker.ask(asked)
      this.#wishes.note(asked)
      return answer
    } catch (error) {
      // Whoever asks need not know what it died of, which is in the log.
      if (!(error instanceof NodeError)) throw error
      throw new RpcError('executionFailed', 'the peer thread cannot answer: ask again in a moment')
    }
  }

  #onEnd(error: unknown): void {
    this.#worker = null
    this.#report = this.#report && withoutPeers(this.#report)
    this.#fault = error instanceof Error ? error.message : String(error)
    if (this.#isClosing) return
    const isFirst = this.#pause === 0 || this.#now() - this.#began > LONG_LIFE
    this.#pause = isFirst ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, 2 * this.#pause)
    this.#parts.log.error(
      { err: error, pause: this.#pause, restarts: this.#restarts },
      'the peer thread failed and is started again; chain and requests go on',
    )
    this.#timer = setTimeout(() => {
      this.#starting = this.#startAgain()
    }, this.#pause)
  }

  async #startAgain(): Promise<void> {
    this.#restarts += 1
    try {
      await this.start()
      this.#parts.log.info({ enode: this.#enode, restarts: this.#restarts }, 'the peer thread runs again')
    } catch (error) {
      this.#onEnd(error)
    }
  }
}

/** How things are while there is no thread. */
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
