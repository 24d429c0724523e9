import { isIP } from 'node:net'
import type { PeerScore, ScoreSubject } from './peerScore.ts'
import type { ScoreEventName } from './scoreEvents.ts'
import { ScoreRecord } from './scoreRecord.ts'

/**
 * Most nodes and addresses that are remembered. The first is the reference's (p2p.md §8), which bounds addresses by
 * nothing.
 */
const LIMITS: Readonly<Record<ScoreSubject, number>> = { node: 100, address: 4096 }

/** The node that did something. The id, 128 hex digits, is null as long as it is not known. */
export interface ScoredPeer {
  readonly id: string | null
  readonly address: string
}

export interface ScoreTableOptions {
  /** Milliseconds, steady. */
  readonly clock: () => number
  /** Milliseconds since 1970, as the machine has them now. */
  readonly wallClock: () => number
  /** True when anybody is punished. */
  readonly punishes: boolean
}

/** The behaviour of the nodes and addresses that were met last. */
export class ScoreTable {
  readonly #options: ScoreTableOptions
  readonly #records: Readonly<Record<ScoreSubject, Map<string, ScoreRecord>>> = {
    node: new Map(),
    address: new Map(),
  }

  constructor(options: ScoreTableOptions) {
    this.#options = options
  }

  /** Records what a peer did, for its node id and its address. */
  record({ id, address }: ScoredPeer, event: ScoreEventName): void {
    const now = this.#options.clock()
    if (id !== null) this.#touch('node', id, now).record(event, now, this.#options.punishes)
    this.#touch('address', address, now).record(event, now, this.#options.punishes)
  }

  isPunished(subject: ScoreSubject, id: string): boolean {
    return this.#records[subject].get(id)?.isPunished(this.#options.clock()) ?? false
  }

  /** 0 for who is not known. */
  score(subject: ScoreSubject, id: string): number {
    const record = this.#records[subject].get(id)
    // A score counts until the punishment that it led to is over.
    record?.isPunished(this.#options.clock())
    return record?.score ?? 0
  }

  /** Nodes, then addresses, those last that were met last. */
  list(): PeerScore[] {
    const { clock, wallClock } = this.#options
    const now = clock()
    const offset = wallClock() - now
    const views = (records: Map<string, ScoreRecord>) =>
      [...records].map(([id, record]) => record.view(id, now, offset))
    return [...views(this.#records.node), ...views(this.#records.address)]
  }

  /** Forgets an address, or a node by its id or the beginning of it that lists show. */
  clear(text: string): void {
    if (isIP(text) !== 0) {
      this.#records.address.delete(text)
      return
    }
    const id = text.replace(/^0x/, '').toLowerCase()
    for (const known of [...this.#records.node.keys()]) {
      if (known === id || shownNodeId(known) === id) this.#records.node.delete(known)
    }
  }

  #touch(subject: ScoreSubject, id: string, now: number): ScoreRecord {
    const records = this.#records[subject]
    const record = records.get(id) ?? new ScoreRecord(subject)
    records.delete(id)
    if (records.size >= LIMITS[subject]) records.delete(leastNeeded(records, now))
    records.set(id, record)
    return record
  }
}

/** The form of a node id in lists (p2p.md §8). */
export function shownNodeId(id: string): string {
  return id.slice(0, 8)
}

/** The oldest that is not punished: whoever makes up ids or addresses must not rid itself of a punishment by them. */
function leastNeeded(records: ReadonlyMap<string, ScoreRecord>, now: number): string {
  let oldest: string | undefined
  for (const [id, record] of records) {
    if (!record.isPunished(now)) return id
    oldest ??= id
  }
  return oldest ?? ''
}
