import type { Logger } from '../../observe/logger.ts'
import { type BackOff, type DialHistory, STATIC_BACK_OFF } from './dialHistory.ts'
import { networkGroup } from './networkGroup.ts'
import type { CandidateSource, PeerAddress } from './ports.ts'
import type { Scheduler } from './scheduler.ts'

/** Interval of dialling, milliseconds (p2p.md §1). */
const ROUND_MS = 3000

/** Most concurrent dials. */
const MAX_DIALS = 16

/** Timeout of a dial with its handshake, milliseconds. */
const DIAL_MS = 10_000

/** Longest delay while this node has no peers: the failures may have been those of its own network. */
const ALONE_MS = 60_000

/** Time after which a peer counts as reached, milliseconds. */
export const STAYED_MS = 60_000

/** Dependencies of a {@link Dialer}. */
export interface DialerParts {
  readonly source: CandidateSource
  /** Nodes that the operator configured: dialled repeatedly, regardless of free slots. */
  readonly statics: () => readonly PeerAddress[]
  readonly history: DialHistory
  /** Connects to a node; rejects when it could not be reached or was not admitted. */
  readonly dial: (node: PeerAddress, signal: AbortSignal) => Promise<void>
  /** Free slots for discovered nodes. */
  readonly freeSlots: () => number
  /** Number of outgoing peers per subnet, and the limit per subnet. */
  readonly groups: () => Map<string, number>
  readonly mostPerGroup: number
  /** True when this node has no peer at all. */
  readonly isAlone: () => boolean
  /** For discovered nodes. */
  readonly backOff: BackOff
  /** True when a node must not be dialled: itself, connected, banned. */
  readonly isRefused: (node: PeerAddress) => boolean
  readonly scheduler: Scheduler
  readonly random: () => number
  readonly log: Logger
}

/** Stats for operators; totals only grow. */
export interface DialerStats {
  readonly open: number
  readonly dialled: number
  readonly failed: number
}

/** Dials nodes until all slots are filled: at random, spread over subnets. */
export class Dialer {
  readonly #parts: DialerParts
  /** Dials under way, by the node's address and port. */
  readonly #open = new Map<string, { readonly node: PeerAddress; readonly abort: AbortController }>()
  #cancelRound: (() => void) | null = null
  #isStopped = false
  #isLooking = false
  #dialled = 0
  #failed = 0

  constructor(parts: DialerParts) {
    this.#parts = parts
  }

  get stats(): DialerStats {
    return { open: this.#open.size, dialled: this.#dialled, failed: this.#failed }
  }

  /** Begins; the first round is at once. */
  start(): void {
    void this.#round()
  }

  /** Aborts running dials; no others start. */
  stop(): void {
    this.#isStopped = true
    this.#cancelRound?.()
    for (const { abort } of this.#open.values()) abort.abort()
  }

  async #round(): Promise<void> {
    this.#cancelRound = this.#parts.scheduler.after(ROUND_MS, () => void this.#round())
    for (const node of shuffle(this.#parts.statics(), this.#parts.random)) {
      if (this.#mayDial(node)) this.#dial(node, true)
    }
    // A source that does not respond is not asked again.
    if (this.#isLooking || this.#free() <= 0) return
    this.#isLooking = true
    try {
      this.#choose(await this.#parts.source.candidates())
    } catch (error) {
      this.#parts.log.warn({ error }, 'no candidates could be had')
    } finally {
      this.#isLooking = false
    }
  }

  #choose(candidates: readonly PeerAddress[]): void {
    const groups = this.#parts.groups()
    for (const { node } of this.#open.values()) count(groups, node)
    for (const node of shuffle(candidates, this.#parts.random)) {
      if (this.#isStopped || this.#free() <= 0) return
      if (!this.#mayDial(node)) continue
      if ((groups.get(networkGroup(node.address)) ?? 0) >= this.#parts.mostPerGroup) continue
      count(groups, node)
      this.#dial(node, false)
    }
  }

  /** Dials that may begin: every dial may become a peer. */
  #free(): number {
    return this.#parts.freeSlots() - this.#open.size
  }

  #mayDial(node: PeerAddress): boolean {
    return (
      !this.#isStopped &&
      this.#open.size < MAX_DIALS &&
      !this.#open.has(keyOf(node)) &&
      !this.#parts.isRefused(node) &&
      this.#parts.history.mayDial(node, this.#parts.isAlone() ? ALONE_MS : Number.POSITIVE_INFINITY)
    )
  }

  #dial(node: PeerAddress, isStatic: boolean): void {
    const abort = new AbortController()
    const key = keyOf(node)
    this.#open.set(key, { node, abort })
    this.#dialled += 1
    const cancelTimer = this.#parts.scheduler.after(DIAL_MS, () => abort.abort())
    this.#parts
      .dial(node, abort.signal)
      .catch((error: unknown) => {
        this.#failed += 1
        this.#parts.history.failed(node, isStatic ? STATIC_BACK_OFF : this.#parts.backOff)
        this.#parts.log.debug({ error, address: node.address, port: node.port }, 'a node was not reached')
      })
      .finally(() => {
        cancelTimer()
        this.#open.delete(key)
      })
  }
}

function count(groups: Map<string, number>, { address }: PeerAddress): void {
  const group = networkGroup(address)
  groups.set(group, (groups.get(group) ?? 0) + 1)
}

function keyOf({ address, port }: PeerAddress): string {
  return `${address}:${port}`
}

/** All of them in random order. */
function shuffle<T>(all: readonly T[], random: () => number): T[] {
  const order = [...all]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    const moved = order[last] as T
    order[last] = order[other] as T
    order[other] = moved
  }
  return order
}
