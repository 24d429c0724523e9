import type { Presence } from './presence.ts'

/** Milliseconds for which a member listens before it speaks: another process with its id announces itself meanwhile. */
const LISTENS_FOR = 1200
/** Milliseconds without a message after which another process with its id is gone. */
const GONE_AFTER = 10_000

/** The identity of this process. */
export interface OwnIdentity extends Pick<Presence, 'id' | 'life' | 'began'> {
  /** Node id of its key, 128 hex digits; null while it is not known. */
  readonly nodeId: string | null
}

/**
 * Whether this process is the only one with its id and its node key (fleet.md §2): of two the later one steps back.
 * Synchronous; times are milliseconds of one monotonic clock.
 */
export class Identity {
  #state: 'listening' | 'joined' | 'aside' = 'listening'
  #since: number | null = null
  #receivedAt = 0
  #other: Presence | null = null

  /** NATS is reached: it listens from now on. */
  begin(now: number): void {
    this.#since ??= now
  }

  /** True when it may announce itself. */
  get isJoined(): boolean {
    return this.#state === 'joined'
  }

  /** Reason why it may not, where that is the fault of another process; null otherwise. */
  get reason(): string | null {
    if (this.#state !== 'aside' || this.#other === null) return null
    const { id, name } = this.#other
    return `another process runs as member ${id} (${name}) or with the same node key: give each data directory its own fleet.json and node key`
  }

  /** @returns whether a presence is one of another process with this identity */
  received(own: OwnIdentity, presence: Presence, now: number): boolean {
    if (presence.life === own.life) return false
    const isSameKey =
      own.nodeId !== null && presence.enode !== null && nodeIdOf(presence.enode) === own.nodeId
    if (presence.id !== own.id && !isSameKey) return false
    const isLater = own.began > presence.began || (own.began === presence.began && own.life > presence.life)
    if (this.#state === 'joined' && !isLater) return true
    this.#state = 'aside'
    this.#receivedAt = now
    this.#other = presence
    return true
  }

  tick(now: number): void {
    if (this.#state === 'listening' && this.#since !== null && now - this.#since >= LISTENS_FOR)
      this.#state = 'joined'
    if (this.#state === 'aside' && now - this.#receivedAt > GONE_AFTER) this.#state = 'joined'
  }
}

/** Node id of an enode URL. */
export function nodeIdOf(enode: string): string {
  return enode.slice('enode://'.length, enode.indexOf('@'))
}
