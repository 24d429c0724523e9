import { timingSafeEqual } from 'node:crypto'
import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import { hashSecret } from '../../util/secretKey.ts'

/** Bytes of a hash by which secrets are looked up before they are compared. */
const PREFIX_BYTES = 4

/** A secret that opens a key, or did. */
export interface KnownSecret {
  /** SHA-256, 32 bytes. */
  readonly hash: Buffer
  readonly key: KeyRecord
  /** True when the key is disabled, or the secret was replaced and its time is over. */
  readonly isRevoked: boolean
}

/** The secrets of all keys. */
export class KeyRing {
  readonly #byPrefix = new Map<number, KnownSecret[]>()
  /** Milliseconds since 1970 when the next replaced secret ends; Infinity for none. */
  readonly nextEnd: number

  /** @param now milliseconds since 1970 */
  constructor(keys: readonly KeyRecord[], now: number) {
    let nextEnd = Number.POSITIVE_INFINITY
    for (const key of keys) {
      this.#add({ hash: key.hash, key, isRevoked: key.disabled })
      const { previous } = key
      if (previous === null) continue
      const isRevoked = key.disabled || previous.until <= now
      this.#add({ hash: previous.hash, key, isRevoked })
      if (!isRevoked) nextEnd = Math.min(nextEnd, previous.until)
    }
    this.nextEnd = nextEnd
  }

  /**
   * What is known of a secret, or null. Timing reveals nothing about the secret: hashes are compared, in constant time.
   */
  find(text: string): KnownSecret | null {
    const hash = hashSecret(text)
    const candidates = this.#byPrefix.get(hash.readUIntBE(0, PREFIX_BYTES)) ?? []
    let found: KnownSecret | null = null
    for (const candidate of candidates) if (timingSafeEqual(candidate.hash, hash)) found = candidate
    return found
  }

  /** Every secret that is valid now. */
  *secrets(): Generator<KnownSecret> {
    for (const secrets of this.#byPrefix.values()) {
      for (const secret of secrets) if (!secret.isRevoked) yield secret
    }
  }

  #add(secret: KnownSecret): void {
    const prefix = secret.hash.readUIntBE(0, PREFIX_BYTES)
    this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), secret])
  }
}
