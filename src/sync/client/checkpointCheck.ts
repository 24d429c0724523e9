import type { Checkpoint } from '../../config/checkpoints.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from './ask.ts'
import { USELESS_PEER } from './protocol.ts'

/** The checkpoints that the chain of a peer must contain. */
export class Checkpoints {
  readonly #byNumber: ReadonlyMap<number, Buffer>
  readonly #ascending: readonly Checkpoint[]

  constructor(checkpoints: readonly Checkpoint[]) {
    this.#byNumber = new Map(checkpoints.map(({ number, hash }) => [number, hash]))
    this.#ascending = checkpoints.toSorted((a, b) => a.number - b.number)
  }

  /** True when a block contradicts the checkpoints. */
  contradicts(number: number, hash: Buffer): boolean {
    const expected = this.#byNumber.get(number)
    return expected !== undefined && !expected.equals(hash)
  }

  /** The highest checkpoint above a height and not above another, if there is one. */
  highestWithin(above: number, upTo: number): Checkpoint | null {
    return this.#ascending.findLast(({ number }) => number > above && number <= upTo) ?? null
  }
}

/**
 * Asks a peer for its block at the highest checkpoint that it should have. A peer with another block is
 * scored and disconnected.
 * @param timeout milliseconds
 * @param onSilent called when it does not respond
 * @returns false also when it does not respond
 */
export async function keepsCheckpoint(
  peer: Peer,
  checkpoints: Checkpoints,
  timeout: number,
  signal: AbortSignal,
  onSilent: () => void,
): Promise<boolean> {
  const checkpoint = checkpoints.highestWithin(0, peer.status?.bestNumber ?? 0)
  if (checkpoint === null) return true
  const question = { type: 'blockHashRequest', height: checkpoint.number } as const
  const answer = await ask<'blockHashRequest'>(peer, question, timeout, signal)
  if (answer === 'TIMEOUT') onSilent()
  if (typeof answer === 'string') return false
  if (answer.hash.equals(checkpoint.hash)) return true
  peer.score('invalidHeader')
  peer.disconnect(USELESS_PEER)
  return false
}
