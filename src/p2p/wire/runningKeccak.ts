import { keccak_256 } from '@noble/hashes/sha3.js'
import { asBuffer } from '../../util/bytes.ts'

/** Keccak-256 of bytes that go on coming: what was hashed so far can be asked for at any time. */
export class RunningKeccak {
  readonly #state = keccak_256.create()

  update(bytes: Buffer): void {
    this.#state.update(bytes)
  }

  /** 32 bytes. */
  digest(): Buffer {
    return asBuffer(this.#state.clone().digest())
  }
}
