import type { Logger } from '../../observe/logger.ts'
import type { Peer } from '../../p2p/peer.ts'
import { independenceOf } from '../../p2p/peers/networkGroup.ts'
import type { SyncChain } from '../syncChain.ts'
import { describeHalt, type Halt, haltFields } from './halt.ts'
import type { Stall } from './stall.ts'

/** Times are milliseconds. */
export interface StallLimits {
  /** Independent peers that are believed without a proof: those that insist on a block that is refused here. */
  readonly insisting: number
  /** Pause before the branch is tried again, and the longest: each is twice as long as the one before. */
  readonly stallRest: number
  readonly longestStallRest: number
  /**
   * Time without a new block after which a stall that was met again counts although fewer peers say so. Blocks
   * come every half minute: as many as come in it say that the chain goes on without that branch.
   */
  readonly stallPatience: number
  /** Time after which a stall that nobody can have made certain is forgotten, unless it is met again. */
  readonly stallMemory: number
}

/** Inputs and listener. */
export interface StallsOptions {
  readonly chain: Pick<SyncChain, 'tip' | 'reader'>
  readonly limits: StallLimits
  /** Milliseconds, steady. */
  readonly now: () => number
  readonly logger?: Logger
  /** Called when {@link Stalls.halt} changed. */
  onChange(): void
}

/** Most stalls that are remembered, and most peers that are counted for each. */
const MAX_STALLS = 64
const MAX_PEERS = 64

interface Entry {
  stall: Stall
  /** Subnets, or trusted peers, that have the branch. */
  readonly insisting: Set<string>
  /** Node ids of the peers that have it. */
  readonly peers: Set<string>
  since: number
  lastAt: number
  rest: number
  until: number
  isSaid: boolean
}

/**
 * Branches that cannot be followed now: each is tried again after growing pauses, meanwhile others are. What
 * they ended at is reported once and kept until the chain goes on.
 */
export class Stalls {
  readonly #options: StallsOptions
  readonly #entries = new Map<string, Entry>()
  #halt: Halt | null = null

  constructor(options: StallsOptions) {
    this.#options = options
  }

  /** The reason for which the chain is known to be stuck. */
  get halt(): Halt | null {
    return this.#halt
  }

  /** Records that a branch could not be followed. */
  record(stall: Stall): void {
    const { limits, now, logger } = this.#options
    const key = keyOf(stall)
    const at = now()
    this.#forgetOld()
    const known = this.#entries.get(key)
    const entry: Entry = known ?? {
      stall,
      insisting: new Set(),
      peers: new Set(),
      since: at,
      lastAt: at,
      rest: 0,
      until: at,
      isSaid: false,
    }
    entry.stall = strongerOf(entry.stall, stall)
    entry.lastAt = at
    for (const peer of stall.peers) {
      if (entry.insisting.size < MAX_PEERS) entry.insisting.add(independenceOf(peer))
      if (entry.peers.size < MAX_PEERS) entry.peers.add(peer.id)
    }
    // Several reports of one attempt are one. What peers may have made up holds nobody back.
    if (stall.isCertain && at >= entry.until) {
      entry.rest = Math.min(limits.longestStallRest, Math.max(limits.stallRest, entry.rest * 2))
      entry.until = at + entry.rest
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#dropOldest()
    if (known === undefined && !stall.isCertain)
      logger?.warn(fieldsOf(entry), 'a branch of a peer is not followed')
    this.check()
  }

  /** True when this node failed at a block and does not try it again yet. */
  isResting(hash: Buffer): boolean {
    const entry = this.#entries.get(hash.toString('hex'))
    return entry !== undefined && this.#options.now() < entry.until
  }

  /** Records that a peer has a branch with a block that {@link isResting}. */
  met(hash: Buffer, peers: readonly Peer[]): void {
    const entry = this.#entries.get(hash.toString('hex'))
    if (entry === undefined) return
    for (const peer of peers) {
      if (entry.insisting.size < MAX_PEERS) entry.insisting.add(independenceOf(peer))
      if (entry.peers.size < MAX_PEERS) entry.peers.add(peer.id)
    }
    this.check()
  }

  /** Forgets what a block was recorded for. */
  drop(hash: Buffer): void {
    if (this.#entries.delete(hash.toString('hex'))) this.check()
  }

  /** True when the branch of a peer is not to be tried again yet. */
  holdsBack({ id }: Peer): boolean {
    const now = this.#options.now()
    for (const { peers, until } of this.#entries.values()) if (now < until && peers.has(id)) return true
    return false
  }

  /** The head changed: what it has overcome is over. */
  advanced(): void {
    const { chain } = this.#options
    for (const [key, { stall }] of this.#entries) {
      const { hash, work } = stall
      const isConnected = hash !== null && chain.reader.totalDifficulty(hash) !== null
      // Without a proof the chain that goes on is worth more than what peers say.
      if (isConnected || work === null || work <= chain.tip.totalDifficulty) this.#entries.delete(key)
    }
    this.check()
  }

  /** Drops what is old, and reports changes. Call it about once a second. */
  check(): void {
    const { logger, onChange } = this.#options
    this.#forgetOld()
    const entry = [...this.#entries.values()].find((one) => this.#counts(one)) ?? null
    const before = this.#halt
    const halt = entry === null ? null : haltOf(entry)
    if (isSame(before, halt)) return
    this.#halt = halt
    if (entry !== null && halt !== null && !entry.isSaid) {
      entry.isSaid = true
      logger?.error(fieldsOf(entry), describeHalt(halt))
    }
    if (halt === null && before !== null) logger?.info(haltFields(before), 'the chain goes on')
    onChange()
  }

  #forgetOld(): void {
    const { now, limits } = this.#options
    for (const [key, { stall, lastAt }] of this.#entries) {
      if (!stall.isCertain && now() - lastAt > limits.stallMemory) this.#entries.delete(key)
    }
  }

  #counts({ stall, insisting, since, lastAt }: Entry): boolean {
    const { limits, chain } = this.#options
    if (stall.isCertain) return stall.work === null || stall.work > chain.tip.totalDifficulty
    return insisting.size >= limits.insisting || lastAt - since >= limits.stallPatience
  }

  /** Drops the oldest that is not certain: the certain ones stay as long as there is anything else. */
  #dropOldest(): void {
    if (this.#entries.size <= MAX_STALLS) return
    const entries = [...this.#entries]
    const [key] = entries.find(([, { stall }]) => !stall.isCertain) ?? entries[0] ?? ['']
    this.#entries.delete(key)
  }
}

function keyOf({ key, cause, hash }: Stall): string {
  return key ?? (hash === null ? cause : hash.toString('hex'))
}

/** The same stall was met again: what is known of it only grows. */
function strongerOf(before: Stall, now: Stall): Stall {
  const base = before.isCertain && !now.isCertain ? before : now
  const works = [before.work, now.work].filter((work) => work !== null)
  const work = works.reduce<bigint | null>((most, one) => (most === null || one > most ? one : most), null)
  return { ...base, work }
}

function haltOf({ stall, insisting }: Entry): Halt {
  const { cause, number, hash, rule, expected, found, reason } = stall
  return { cause, number, hash, rule, expected, found, reason, insisting: insisting.size }
}

function fieldsOf(entry: Entry): object {
  const { error } = entry.stall
  return { ...haltFields(haltOf(entry)), ...(error === undefined ? {} : { err: error }) }
}

function isSame(one: Halt | null, other: Halt | null): boolean {
  if (one === null || other === null) return one === other
  return one.cause === other.cause && one.number === other.number && one.reason === other.reason
}
