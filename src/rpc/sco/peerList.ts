import { defineMethod } from '../defineMethod.ts'
import { peerScoreAnswer } from '../format/peerList.ts'

/** Scores of the peers that were met. */
export const peerScores = defineMethod({
  name: 'sco_peerList',
  doc: 'Behaviour of the peers that were met.',
  params: [],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }) => peerScoreAnswer(await peers.scores()),
})
