import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from './ask.ts'

/** The last common block: the peer's next block is not on our chain. */
export interface ConnectionPoint {
  readonly number: number
  readonly hash: Buffer
}

/**
 * Why there is none: the peer did not respond, or ours changed meanwhile; or its block at the first height of
 * our history is another one.
 */
export type NoConnectionPoint = 'failed' | ConnectionPointBelow

/** Where the chain of a peer is another one although ours has nothing below. */
export interface ConnectionPointBelow {
  readonly differsAt: ConnectionPoint
}

/** Reads that the search needs. */
export interface ConnectionPointParams {
  readonly peer: Peer
  readonly reader: Pick<ChainStoreReader, 'hashByNumber' | 'history'>
  /** Height of our best block. */
  readonly best: number
  /** Height of the peer's. */
  readonly peerBest: number
  /** Milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/**
 * Searches the last common block with a peer (p2p.md §5 FindingConnectionPoint). It begins at the top and
 * descends in growing steps, then bisects: a peer on our branch costs one request. Height 0 and heights below
 * the stored history are not requested; the genesis was compared by the handshake.
 */
export async function findConnectionPoint(
  params: ConnectionPointParams,
): Promise<ConnectionPoint | NoConnectionPoint> {
  const { peer, reader, timeout, signal } = params
  const { firstBlock } = reader.history()
  // Known to be common: genesis; on a chain that began with a snapshot, nothing.
  let shared = Math.max(0, firstBlock - 1)
  let differs = Math.min(params.best, params.peerBest) + 1
  let step = 0
  let isHalving = false
  let differsAt: ConnectionPoint | null = null
  while (differs - shared > 1) {
    const height = isHalving
      ? shared + Math.floor((differs - shared) / 2)
      : Math.max(shared + 1, differs - 1 - step)
    const answer = await ask<'blockHashRequest'>(peer, { type: 'blockHashRequest', height }, timeout, signal)
    if (typeof answer === 'string') return 'failed'
    if (reader.hashByNumber(height)?.equals(answer.hash) === true) {
      shared = height
      isHalving = true
    } else {
      differs = height
      differsAt = { number: height, hash: answer.hash }
      step = step === 0 ? 1 : step * 2
    }
  }
  const hash = reader.hashByNumber(shared)
  if (hash !== null) return { number: shared, hash }
  return differsAt?.number === firstBlock ? { differsAt } : 'failed'
}
