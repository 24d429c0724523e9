import type { PeerRequest, ResponseTo } from '../../p2p/messages/rskMessage.ts'
import { type Peer, PeerRequestError } from '../../p2p/peer.ts'

/** The request of a type. */
export type QuestionOf<T extends PeerRequest['type']> = Omit<Extract<PeerRequest, { type: T }>, 'id'>

/** The response to a request of a type. */
export type AnswerTo<T extends PeerRequest['type']> = ResponseTo<Extract<PeerRequest, { type: T }>>

/**
 * Sends a request to a peer, which scores a timeout itself as TIMEOUT_MESSAGE (p2p.md §8).
 * @param timeout milliseconds
 * @param signal cancels the request as if the peer had disconnected
 * @returns the response, or why there is none
 */
export async function ask<T extends PeerRequest['type']>(
  peer: Peer,
  question: QuestionOf<T>,
  timeout: number,
  signal: AbortSignal,
): Promise<AnswerTo<T> | PeerRequestError['code']> {
  if (signal.aborted) return 'GONE'
  const asked = peer.request(question as never, timeout).then(
    (answer) => answer as AnswerTo<T>,
    (error: unknown) => {
      if (error instanceof PeerRequestError) return error.code
      throw error
    },
  )
  return withSignal(asked, signal)
}

function withSignal<A>(asked: Promise<A>, signal: AbortSignal): Promise<A | 'GONE'> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve('GONE')
    signal.addEventListener('abort', stop, { once: true })
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
