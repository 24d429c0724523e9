import { createCipheriv } from 'node:crypto'
import { RunningKeccak } from '../../native/wire.ts'
import { xor } from './handshake.ts'

/** Bytes of a MAC, of an AES block, and what bodies are filled up to. */
export const BLOCK_BYTES = 16

/** The MAC of all frames of one direction (p2p.md §2 Frames). */
export class FrameMac {
  readonly #keccak = new RunningKeccak()
  readonly #cipher
  /** Digest as it is now; null once something was added. */
  #digest: Buffer | null = null

  /**
   * @param secret 32 bytes
   * @param nonce of the other end, 32 bytes
   * @param packet auth or ack that this direction began with, as it was on the wire
   */
  constructor(secret: Buffer, nonce: Buffer, packet: Buffer) {
    this.#cipher = createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false)
    this.#keccak.update(xor(secret, nonce))
    this.#keccak.update(packet)
  }

  /** 32 bytes: of everything so far. */
  get digest(): Buffer {
    this.#digest ??= this.#keccak.digest()
    return this.#digest
  }

  /** MAC of an encrypted header of 16 bytes. */
  ofHeader(header: Buffer): Buffer {
    return this.#mix(header)
  }

  /** Adds bytes of an encrypted body. */
  addBody(bytes: Buffer): void {
    this.#add(bytes)
  }

  /** MAC of the encrypted body that was added. */
  ofBody(): Buffer {
    return this.#mix(this.#first())
  }

  #mix(block: Buffer): Buffer {
    this.#add(xor(this.#cipher.update(this.#first()), block))
    return this.#first()
  }

  #first(): Buffer {
    return this.digest.subarray(0, BLOCK_BYTES)
  }

  #add(bytes: Buffer): void {
    this.#digest = null
    this.#keccak.update(bytes)
  }
}
