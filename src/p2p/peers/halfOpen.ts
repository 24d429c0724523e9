import type { PeerLimits } from './limits.ts'
import { groupByNetwork, networkGroup } from './networkGroup.ts'
import type { PeerAccount, PeerMemory } from './peerMemory.ts'

/** Memory of one handshake, bytes: a packet, a frame of HELLO and the socket (p2p.md §2). */
const HANDSHAKE_BYTES = 64 * 1024

/** Timeout of a handshake, milliseconds. */
export const HANDSHAKE_MS = 10_000

/** A connection whose handshake is not over. */
export interface HalfOpenEntry {
  readonly address: string
  readonly signal: AbortSignal
  /** The handshake ended, successfully or not. */
  done(): void
}

interface Entry {
  readonly address: string
  readonly group: string
  readonly abort: AbortController
  readonly account: PeerAccount
}

/** Incoming connections during the handshake, limited in number and time. */
export class HalfOpen {
  readonly #limits: PeerLimits
  readonly #memory: PeerMemory
  readonly #random: () => number
  readonly #after: (milliseconds: number, call: () => void) => () => void
  readonly #entries = new Set<Entry>()
  #displaced = 0

  constructor(parts: {
    readonly limits: PeerLimits
    readonly memory: PeerMemory
    readonly random: () => number
    readonly after: (milliseconds: number, call: () => void) => () => void
  }) {
    this.#limits = parts.limits
    this.#memory = parts.memory
    this.#random = parts.random
    this.#after = parts.after
  }

  get size(): number {
    return this.#entries.size
  }

  /** Handshakes that were aborted for the sake of others. */
  get displaced(): number {
    return this.#displaced
  }

  /**
   * Begins a handshake; when there are too many, a random one of the subnet with the most is aborted.
   * @returns null when the subnet has too many or there is no memory
   */
  begin(address: string): HalfOpenEntry | null {
    const group = networkGroup(address)
    const inGroup = [...this.#entries].filter((entry) => entry.group === group).length
    if (inGroup >= this.#limits.halfOpenPerGroup) return null
    if (this.#entries.size >= this.#limits.halfOpen) this.#displace()
    const account = this.#memory.open()
    if (!account.take(HANDSHAKE_BYTES)) {
      account.close()
      return null
    }
    const entry: Entry = { address, group, abort: new AbortController(), account }
    this.#entries.add(entry)
    const cancelTimer = this.#after(HANDSHAKE_MS, () => entry.abort.abort())
    const done = () => {
      cancelTimer()
      this.#remove(entry)
    }
    return { address, signal: entry.abort.signal, done }
  }

  /** Ends all. */
  close(): void {
    for (const entry of [...this.#entries]) {
      entry.abort.abort()
      this.#remove(entry)
    }
  }

  #displace(): void {
    const groups = groupByNetwork(this.#entries)
    const largest = Math.max(...[...groups.values()].map((members) => members.length))
    const candidates = [...groups.values()].filter((members) => members.length === largest).flat()
    const entry = candidates[Math.floor(this.#random() * candidates.length)]
    if (entry === undefined) return
    this.#displaced += 1
    entry.abort.abort()
    this.#remove(entry)
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) entry.account.close()
  }
}
