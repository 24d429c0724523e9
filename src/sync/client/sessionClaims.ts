import type { Peer } from '../../p2p/peer.ts'

/** The proofs of work that the leaders of a session showed for what they claim. */
export class SessionClaims {
  readonly #silent = new Set<Peer>()
  readonly #showed = new Set<Peer>()
  #hasConnected = false

  /** A leader did not show the next part of its branch, or not the bodies of it. */
  silent(leader: Peer): void {
    this.#silent.add(leader)
  }

  /** A leader showed headers with their work. */
  showed(leader: Peer): void {
    this.#showed.add(leader)
  }

  /** Blocks of the branch were connected. */
  connected(): void {
    this.#hasConnected = true
  }

  /**
   * Leaders that kept nothing of what they claim: who gave blocks and fell silent later may be busy, and a claim
   * that our head has reached meanwhile was true.
   * @param head total difficulty of our head
   */
  unkept(head: bigint): Peer[] {
    return [...this.#silent].filter(
      (peer) =>
        (peer.status?.totalDifficulty ?? 0n) > head && !(this.#hasConnected && this.#showed.has(peer)),
    )
  }
}
