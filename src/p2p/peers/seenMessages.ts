import { createHash } from 'node:crypto'

/** Most tracked messages, as in the reference (p2p.md §4 Limits). */
const KEPT = 5000

/** Stored characters of a digest: 120 bits. */
const DIGEST_CHARACTERS = 20

/** Tells whether a message is new, was received from another peer, or from this one. */
export type Sighting = 'new' | 'known' | 'repeated'

/** Digests of recent blocks and transactions of all peers. */
export class SeenMessages {
  readonly #senders = new Map<string, string>()

  /** Records that a peer sent these bytes. @param sender its node id */
  record(payload: Buffer, sender: string): Sighting {
    const digest = createHash('sha256').update(payload).digest('base64').slice(0, DIGEST_CHARACTERS)
    const first = this.#senders.get(digest)
    if (first !== undefined) return first === sender ? 'repeated' : 'known'
    this.#senders.set(digest, sender)
    if (this.#senders.size > KEPT) {
      const [oldest] = this.#senders.keys()
      if (oldest !== undefined) this.#senders.delete(oldest)
    }
    return 'new'
  }

  get size(): number {
    return this.#senders.size
  }
}
