import type { ScoreEventName } from './scoreEvents.ts'

/** The counters of a peer (rpc.md §3.12), in the order in which they are answered. */
export const SCORE_COUNTERS = [
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
export type ScoreCounter = (typeof SCORE_COUNTERS)[number]

/** The effect of an event on a score: one more while it is not negative, one less than zero at most, or nothing. */
export type ScoreEffect = 'raises' | 'lowers' | 'none'

/** The rule for an event (p2p.md §8). */
export interface ScoreRule {
  /** null for what is shown to nobody. */
  readonly counter: ScoreCounter | null
  readonly effect: ScoreEffect
  /** True when it is punished, at the first one. */
  readonly punished: boolean
}

const rule = (counter: ScoreCounter | null, effect: ScoreEffect, punished = false): ScoreRule => ({
  counter,
  effect,
  punished,
})

/** The rules of the reference, event by event (p2p.md §8). */
export const SCORE_RULES: Readonly<Record<ScoreEventName, ScoreRule>> = {
  successfulHandshake: rule('successfulHandshakes', 'none'),
  failedHandshake: rule('failedHandshakes', 'none'),
  invalidNetwork: rule('invalidNetworks', 'lowers'),
  incompatibleProtocol: rule(null, 'raises'),
  unexpectedGenesis: rule(null, 'raises'),
  disconnection: rule(null, 'raises'),
  repeatedMessage: rule('repeatedMessages', 'none'),
  validBlock: rule('validBlocks', 'raises'),
  validTransaction: rule('validTransactions', 'raises'),
  invalidBlock: rule('invalidBlocks', 'lowers', true),
  invalidTransaction: rule('invalidTransactions', 'lowers'),
  invalidMessage: rule('invalidMessages', 'lowers', true),
  timeoutMessage: rule('timeoutMessages', 'none'),
  unexpectedMessage: rule('unexpectedMessages', 'none'),
  invalidHeader: rule('invalidHeader', 'lowers', true),
}

/** By what a peer is remembered. */
export type ScoreSubject = 'node' | 'address'

/** A peer as its behaviour is remembered: plain data, which can cross to another thread. */
export interface PeerScore {
  readonly type: ScoreSubject
  /** Node id, 128 hex digits, or IP address. */
  readonly id: string
  readonly events: Readonly<Record<ScoreCounter, number>>
  readonly score: number
  /** Number of times that it was punished. */
  readonly punishments: number
  readonly goodReputation: boolean
  /** Milliseconds since 1970 by the machine's clock; 0 when it is not punished. */
  readonly punishedUntil: number
}
