import { groupByNetwork, networkGroup } from './networkGroup.ts'

/** The properties of a peer for admission and eviction. */
export interface Seat {
  readonly id: string
  readonly address: string
  readonly inbound: boolean
  /** Exempt from limits and from eviction. */
  readonly trusted: boolean
  /** Milliseconds, steady clock. */
  readonly connectedAt: number
  /** Blocks and transactions of it that were new and valid. */
  readonly useful: number
  /** Milliseconds to an answer; null before the first. */
  readonly latency: number | null
}

/** Slots protected for the best peers by each criterion: an attacker is hardly best by all of them. */
const PROTECTED_EACH = 3

/** Time in which a peer is protected, milliseconds: reconnecting repeatedly evicts nobody sooner. */
const SETTLED_MS = 60_000

/**
 * Chooses the peer to evict for a newcomer: one of the subnet with the most peers, at random among those that
 * are neither the longest connected nor the most useful nor the fastest.
 * @param newcomer address of the new peer
 * @param random from 0 to below 1
 * @returns null when no peer can be evicted
 */
export function chooseEvicted(
  seats: readonly Seat[],
  newcomer: string,
  now: number,
  random: () => number,
): Seat | null {
  const inbound = seats.filter(({ inbound, trusted }) => inbound && !trusted)
  const kept = protectedSeats(inbound)
  const open = inbound.filter((seat) => !kept.has(seat))
  const groups = groupByNetwork(open)
  const mine = networkGroup(newcomer)
  const largest = Math.max(0, ...[...groups.values()].map((members) => members.length))
  const candidates = [...groups]
    .filter(([name, members]) => members.length === largest && (name !== mine || largest === 1))
    .flatMap(([, members]) => members)
    .filter(
      ({ connectedAt }) => now - connectedAt >= SETTLED_MS || largest > (groups.get(mine)?.length ?? 0) + 1,
    )
  return candidates[Math.floor(random() * candidates.length)] ?? null
}

function protectedSeats(seats: readonly Seat[]): Set<Seat> {
  const best = (order: (a: Seat, b: Seat) => number, of: readonly Seat[] = seats) =>
    [...of].sort(order).slice(0, PROTECTED_EACH)
  return new Set([
    ...best((a, b) => a.connectedAt - b.connectedAt),
    ...best(
      (a, b) => b.useful - a.useful,
      seats.filter(({ useful }) => useful > 0),
    ),
    ...best(
      (a, b) => (a.latency ?? 0) - (b.latency ?? 0),
      seats.filter(({ latency }) => latency !== null),
    ),
  ])
}
