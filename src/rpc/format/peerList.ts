import { SCORE_EVENTS } from '../../p2p/peerScores.ts'
import type { PeerTable } from '../../p2p/peerTable.ts'
import type { Json } from '../json.ts'

/** The scores of all peers (rpc.md §3.12). */
export function peerScoreAnswer({ scores }: PeerTable): Json[] {
  return scores.list().map((peer) => ({
    ...Object.fromEntries(SCORE_EVENTS.map((event) => [event, peer.events[event]])),
    score: peer.score,
    punishments: peer.punishments,
    goodReputation: peer.goodReputation,
    punishedUntil: peer.punishedUntil,
    id: peer.id,
    type: peer.type,
  }))
}
