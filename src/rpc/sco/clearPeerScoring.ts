import { defineMethod } from '../defineMethod.ts'
import { peerScoreAnswer } from '../format/peerList.ts'
import { plainText } from '../params/plainText.ts'

/** Forgets the behaviour of a peer; answers with those that are left. */
export const clearPeerScoring = defineMethod({
  name: 'sco_clearPeerScoring',
  doc: 'Forgets the behaviour of a peer, named by its address or node id.',
  params: [plainText('id')],
  result: { type: 'array' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }, [id]) => peerScoreAnswer(await peers.clearScore(id)),
})
