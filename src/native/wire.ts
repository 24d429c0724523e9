import { addon } from './addon.ts'
import { native } from './errors.ts'

/** Keccak-256 of bytes that go on coming: what was hashed so far can be asked for at any time. */
export class RunningKeccak {
  readonly #hash = new addon.RunningKeccak()

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  /** 32 bytes. */
  digest(): Buffer {
    return this.#hash.digest()
  }
}

/** Public key x ∥ y that signed a 32-byte hash; null when none did. @param signature r 32 ∥ s 32 ∥ parity 1 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array): Buffer | null {
  return native(() => addon.recoverPublicKey(hash, signature))
}

/** x, 32 bytes, of the point that a private key and a public key x ∥ y agree on; null when one of them is no key. */
export function sharedAbscissa(privateKey: Uint8Array, publicKey: Uint8Array): Buffer | null {
  return native(() => addon.sharedAbscissa(privateKey, publicKey))
}
