import { EMPTY_BYTES } from '../../util/bytes.ts'
import { UNCOMPRESSED } from './curve.ts'
import { ECIES_OVERHEAD, eciesDecrypt } from './ecies.ts'
import { P2pError } from './p2pError.ts'

/** Form of auth and ack: that of EIP-8, or the one before (p2p.md §2). */
export type PacketForm = 'eip8' | 'old'

/** Bytes of the plain auth in the old form: signature 65, hash 32, id 64, nonce 32, flag 1. */
export const OLD_AUTH_BYTES = 194
/** Bytes of the plain ack in the old form: id 64, nonce 32, flag 1. */
export const OLD_ACK_BYTES = 97

/** Bytes before a packet that say how long it is. */
export const SIZE_BYTES = 2
/** The size is read as a signed number of 16 bits. */
const MAX_PACKET_BYTES = 0x7fff

/** An auth or ack that was decrypted. */
export interface ReadPacket {
  readonly form: PacketForm
  readonly plain: Buffer
  /** As it was on the wire, with its size. */
  readonly packet: Buffer
  /** The bytes behind it. */
  readonly rest: Buffer
}

/** Puts an auth or ack together of what arrives; of longer ones than are allowed nothing is kept. */
export class PacketReader {
  readonly #privateKey: Buffer
  readonly #oldLength: number
  #chunks: Buffer[] = []
  #held = 0
  #needed: number = SIZE_BYTES
  #isOldPossible = true

  /** @param plainOldLength of what is expected, in the old form */
  constructor(privateKey: Buffer, plainOldLength: number) {
    this.#privateKey = privateKey
    this.#oldLength = plainOldLength + ECIES_OVERHEAD
  }

  /**
   * @returns null while more bytes are needed
   * @throws P2pError HANDSHAKE for what is none
   */
  push(chunk: Buffer): ReadPacket | null {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    while (this.#held >= this.#needed) {
      const [first = chunk] = this.#chunks
      const bytes = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#held)
      this.#chunks = [bytes]
      const read = this.#advance(bytes)
      if (read !== null) return read
    }
    return null
  }

  /** Reads on with as many bytes as were needed, or says how many more are. */
  #advance(bytes: Buffer): ReadPacket | null {
    // A size whose first byte is that of a point is rare: only then both forms have to be tried.
    if (this.#isOldPossible && bytes[0] === UNCOMPRESSED) {
      this.#needed = this.#oldLength
      if (bytes.length < this.#oldLength) return null
      const old = this.#decryptOld(bytes)
      if (old !== null) return old
    }
    this.#isOldPossible = false
    const size = bytes.readUInt16BE(0)
    if (size < this.#oldLength || size > MAX_PACKET_BYTES) {
      throw new P2pError('HANDSHAKE', `a packet of ${size} bytes`)
    }
    this.#needed = SIZE_BYTES + size
    if (bytes.length < this.#needed) return null
    const packet = bytes.subarray(0, this.#needed)
    const plain = eciesDecrypt(packet.subarray(SIZE_BYTES), this.#privateKey, packet.subarray(0, SIZE_BYTES))
    return { form: 'eip8', plain, packet, rest: bytes.subarray(this.#needed) }
  }

  #decryptOld(bytes: Buffer): ReadPacket | null {
    const packet = bytes.subarray(0, this.#oldLength)
    try {
      const plain = eciesDecrypt(packet, this.#privateKey, EMPTY_BYTES)
      return { form: 'old', plain, packet, rest: bytes.subarray(this.#oldLength) }
    } catch (error) {
      if (error instanceof P2pError) return null
      throw error
    }
  }
}
