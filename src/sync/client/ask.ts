import type { PeerRequest, ResponseTo } from '../../p2p/messages/rskMessage.ts'
import { type Peer, PeerRequestError } from '../../p2p/peer.ts'

/** The question of a type. */
export type QuestionOf<T extends PeerRequest['type']> = Omit<Extract<PeerRequest, { type: T }>, 'id'>

/** The answer to a question of a type. */
export type AnswerTo<T extends PeerRequest['type']> = ResponseTo<Extract<PeerRequest, { type: T }>>

/**
 * Asks a peer, which notes silence as TIMEOUT_MESSAGE itself (p2p.md §8).
 * @param timeout milliseconds
 * @returns the answer, or why there is none
 */
export async function ask<T extends PeerRequest['type']>(
  peer: Peer,
  question: QuestionOf<T>,
  timeout: number,
): Promise<AnswerTo<T> | PeerRequestError['code']> {
  try {
    const answer = await peer.request(question as never, timeout)
    return answer as AnswerTo<T>
  } catch (error) {
    if (!(error instanceof PeerRequestError)) throw error
    return error.code
  }
}
