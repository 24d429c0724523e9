import type { ScoreSubject } from './peerScore.ts'

const MINUTE = 60_000
/** Per cent of a punishment that the next one has. */
const GROWTH = 110

/** The first punishment, milliseconds (p2p.md §8). */
export const FIRST_PUNISHMENT: number = 12 * MINUTE

/** Longest of all, milliseconds. Those of nodes have no limit but that a time must remain a number. */
const MAX_PUNISHMENT_MILLISECONDS: Readonly<Record<ScoreSubject, number>> = {
  node: 2 ** 51,
  address: 6000 * MINUTE,
}

/**
 * How long a peer is punished, milliseconds (p2p.md §8): 12 minutes, a tenth more for every earlier punishment, then
 * as many times as its score is below zero.
 * @param earlier punishments that it had before
 */
export function punishmentTime(subject: ScoreSubject, earlier: number, score: number): number {
  const longest = MAX_PUNISHMENT_MILLISECONDS[subject]
  let time = FIRST_PUNISHMENT
  for (let count = 0; count < earlier && time < longest; count += 1) {
    time = Math.floor((time * GROWTH) / 100)
  }
  return Math.min(longest, score < 0 ? time * -score : time)
}
