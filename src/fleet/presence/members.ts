import type { FleetBlock } from '../head/fleetBlock.ts'
import type { MemberId } from '../member.ts'
import type { Presence } from './presence.ts'

/** Milliseconds without a message after which a member is not present. */
export const PRESENT_FOR = 2000
/** Milliseconds after which it is forgotten: peers go on dialling it until then. */
const KNOWN_FOR = 600_000
/** Milliseconds by which clocks of members may differ: days of quotas begin by them (fleet.md §7). */
export const CLOCK_DIFFERENCE = 1000
/** Members that are kept: messages of more are ignored. */
const MAX_MEMBERS = 256

/** A member that announced itself. */
export interface ReceivedMember extends Presence {
  /** Milliseconds of the monotonic clock. */
  readonly receivedAt: number
  /** By how much its clock was ahead of the own one, milliseconds. */
  readonly clockAhead: number
  /** True for one that was away and has no newest block yet that is known here: peers do not bring its blocks. */
  readonly isApart: boolean
}

/**
 * The members that announced themselves, and those that are present (fleet.md §2). Synchronous; times are milliseconds of one
 * monotonic clock.
 */
export class Members {
  /** Members that others have to have in common with this member. */
  readonly #own: Pick<Presence, 'genesis' | 'zone'>
  readonly #lag: number
  readonly #isKnown: (block: FleetBlock) => boolean
  readonly #members = new Map<MemberId, ReceivedMember>()
  /** Times at which the heaviest executed block of all became heavier, and its weight; oldest first. */
  readonly #weights: { readonly at: number; readonly weight: bigint }[] = []
  /** Time at which NATS was reached last. */
  #reachedAt = 0

  /**
   * @param lag milliseconds by which a member may be behind
   * @param isKnown tells whether this member has executed a block
   */
  constructor(own: Pick<Presence, 'genesis' | 'zone'>, lag: number, isKnown: (block: FleetBlock) => boolean) {
    this.#own = own
    this.#lag = lag
    this.#isKnown = isKnown
  }

  /** This member has reached NATS again: a member without messages was not away for that. */
  reached(now: number): void {
    this.#reachedAt = now
  }

  /** All that announced themselves of late, in the order of their ids. */
  get all(): readonly ReceivedMember[] {
    return [...this.#members.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /**
   * @param wall milliseconds since 1970
   * @returns whether this process of the member appears for the first time or again, so that pools may differ; else
   * whether it says what it said before
   */
  received(presence: Presence, now: number, wall: number): 'first' | 'again' | 'changed' | 'same' {
    const known = this.#members.get(presence.id)
    if (known === undefined && this.#members.size >= MAX_MEMBERS) return 'same'
    const wasSilent = known !== undefined && now - known.receivedAt > PRESENT_FOR
    const wasAway = known?.isApart === true || (wasSilent && known.receivedAt > this.#reachedAt)
    const isApart = wasAway && ![presence.executed, presence.adopted].some(this.#isKnown)
    const clockAhead = presence.clock - wall
    this.#members.set(presence.id, { ...presence, receivedAt: now, clockAhead, isApart })
    if (presence.genesis === this.#own.genesis) this.executed(presence.executed.totalDifficulty, now)
    if (known === undefined || known.life !== presence.life) return 'first'
    if (wasSilent || known.reached !== presence.reached) return 'again'
    // Its reader gives the same object for the same text.
    return known.executed === presence.executed && known.isApart === isApart ? 'same' : 'changed'
  }

  /** This member, or another one, has executed a block of this weight. */
  executed(weight: bigint, now: number): void {
    const last = this.#weights.at(-1)
    if (last !== undefined && last.weight >= weight) return
    this.#weights.push({ at: now, weight })
    // One that is older than the lag says as much as those before it.
    while ((this.#weights[1]?.at ?? now) < now - this.#lag) this.#weights.shift()
  }

  /** Forgets members without messages for long. */
  sweep(now: number): void {
    for (const [id, { receivedAt }] of this.#members)
      if (now - receivedAt > KNOWN_FOR) this.#members.delete(id)
  }

  /** Other members that are present. */
  present(now: number): readonly ReceivedMember[] {
    return this.all.filter((member) => this.whyNot(member, now) === null)
  }

  /** Reason why a member is not present; null when it is. */
  whyNot(member: ReceivedMember, now: number): string | null {
    const silent = now - member.receivedAt
    if (silent > PRESENT_FOR) return `no message for ${Math.round(silent / 1000)} s`
    if (member.genesis !== this.#own.genesis) return 'another genesis block'
    if (member.zone !== this.#own.zone) return `another time zone of quotas: ${member.zone}`
    if (member.draining) return 'leaving'
    if (!member.ready) return 'not ready'
    return this.isBehind(member.executed.totalDifficulty, now) ? 'behind' : null
  }

  /** True when somebody has had a heavier block for longer than members may be behind. */
  isBehind(weight: bigint, now: number): boolean {
    return this.#weights.some((record) => record.weight > weight && now - record.at > this.#lag)
  }
}
