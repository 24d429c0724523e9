/** What was counted of a peer (rpc.md §3.12), in the order in which it is answered. */
export const SCORE_EVENTS = [
  'successfulHandshakes',
  'failedHandshakes',
  'invalidNetworks',
  'repeatedMessages',
  'validBlocks',
  'validTransactions',
  'invalidBlocks',
  'invalidTransactions',
  'invalidMessages',
  'timeoutMessages',
  'unexpectedMessages',
  'invalidHeader',
] as const

/** Name of something that is counted. */
export type ScoreEvent = (typeof SCORE_EVENTS)[number]

/** A peer as its behaviour is remembered. */
export interface PeerScore {
  /** Node id or address. */
  readonly id: string
  readonly type: string
  readonly events: Readonly<Record<ScoreEvent, number>>
  readonly score: number
  readonly punishments: number
  readonly goodReputation: boolean
  /** Milliseconds since 1970; 0 when it is not punished. */
  readonly punishedUntil: number
}

/** The behaviour of the peers that were met. */
export class PeerScores {
  readonly #scores = new Map<string, PeerScore>()

  list(): readonly PeerScore[] {
    return [...this.#scores.values()]
  }

  /** Forgets a peer, named by its id or address. */
  clear(id: string): void {
    this.#scores.delete(id)
  }
}
