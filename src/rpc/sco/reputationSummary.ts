import type { PeerScore, ScoreCounter } from '../../p2p/scoring/peerScore.ts'
import { defineMethod } from '../defineMethod.ts'

/** Counts in the order of the reference's answer (rpc.md §3.12). */
const ORDER: readonly ScoreCounter[] = [
  'successfulHandshakes',
  'failedHandshakes',
  'invalidHeader',
  'validBlocks',
  'invalidBlocks',
  'validTransactions',
  'invalidTransactions',
  'invalidNetworks',
  'invalidMessages',
  'repeatedMessages',
  'timeoutMessages',
  'unexpectedMessages',
]

/** The behaviour of all peers added up. */
export const reputationSummary = defineMethod({
  name: 'sco_reputationSummary',
  doc: 'Behaviour of all peers, added up.',
  params: [],
  result: { type: 'object' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }) => {
    const scores = await peers.scores()
    const sum = (of: (peer: PeerScore) => number) => scores.reduce((total, peer) => total + of(peer), 0)
    const good = scores.filter(({ goodReputation }) => goodReputation).length
    return {
      count: scores.length,
      ...Object.fromEntries(ORDER.map((event) => [event, sum(({ events }) => events[event])])),
      peersTotalScore: sum(({ score }) => score),
      punishments: sum(({ punishments }) => punishments),
      goodReputationCount: good,
      badReputationCount: scores.length - good,
    }
  },
})
