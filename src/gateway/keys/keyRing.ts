import { createHash, timingSafeEqual } from 'node:crypto'
import type { ApiKey } from './keyFile.ts'

/** Bytes of a hash by which keys are looked up before they are compared. */
const PREFIX_BYTES = 4

/** The API keys that are valid now. */
export class KeyRing {
  #byPrefix = new Map<number, ApiKey[]>()
  #byId = new Map<string, ApiKey>()

  constructor(keys: readonly ApiKey[]) {
    this.replace(keys)
  }

  /** Makes exactly these keys valid. */
  replace(keys: readonly ApiKey[]): void {
    this.#byId = new Map(keys.map((key) => [key.id, key]))
    this.#byPrefix = new Map()
    for (const key of keys) {
      const prefix = key.hash.readUIntBE(0, PREFIX_BYTES)
      this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), key])
    }
  }

  /**
   * The key of this text, or null. How long it takes tells nothing about how much of a key is right: texts are
   * hashed, and hashes compared in constant time.
   */
  find(text: string): ApiKey | null {
    const hash = createHash('sha256').update(text, 'utf8').digest()
    const candidates = this.#byPrefix.get(hash.readUIntBE(0, PREFIX_BYTES)) ?? []
    let found: ApiKey | null = null
    for (const candidate of candidates) if (timingSafeEqual(candidate.hash, hash)) found = candidate
    return found
  }

  /** The key of an owner as it is now; null when it is valid no more. */
  byId(id: string): ApiKey | null {
    return this.#byId.get(id) ?? null
  }
}
