import { type PeerScore, SCORE_COUNTERS } from '../../p2p/scoring/peerScore.ts'
import { shownNodeId } from '../../p2p/scoring/scoreTable.ts'
import type { Json } from '../json.ts'

/** The scores of all peers (rpc.md §3.12). */
export function peerScoreAnswer(scores: readonly PeerScore[]): Json[] {
  return scores.map((peer) => ({
    ...Object.fromEntries(SCORE_COUNTERS.map((counter) => [counter, peer.events[counter]])),
    score: peer.score,
    punishments: peer.punishments,
    goodReputation: peer.goodReputation,
    punishedUntil: peer.punishedUntil,
    id: peer.type === 'node' ? shownNodeId(peer.id) : peer.id,
    type: peer.type,
  }))
}
