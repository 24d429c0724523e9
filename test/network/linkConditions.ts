/** How bytes travel between two nodes. */
export interface LinkConditions {
  /** One way, milliseconds; to it comes a random part of `jitter`. */
  readonly delay: number
  readonly jitter: number
  /** Share of the pieces that get lost once: TCP sends them again, so that they and all behind them come later. */
  readonly loss: number
  /** Bytes a second, one way. */
  readonly rate: number
}

export const PERFECT_LINK: LinkConditions = { delay: 0, jitter: 0, loss: 0, rate: Number.POSITIVE_INFINITY }

/** How long TCP waits before it sends again what was lost, milliseconds. */
const RETRANSMISSION_MS = 200

/**
 * When a piece that is sent now arrives.
 * @param previous when the piece before it arrives
 * @param random from 0 to below 1
 * @returns milliseconds on the clock of `now`
 */
export function arrivalOf(
  bytes: number,
  now: number,
  previous: number,
  { delay, jitter, loss, rate }: LinkConditions,
  random: () => number,
): number {
  let arrival = now + delay + random() * jitter
  while (random() < loss) arrival += RETRANSMISSION_MS
  return Math.max(arrival, previous) + (bytes * 1000) / rate
}
