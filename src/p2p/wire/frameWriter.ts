import { createCipheriv } from 'node:crypto'
import { BLOCK_BYTES, type FrameMac } from './frameMac.ts'

/** Bytes of code and payload that a frame holds at most: an RSKj cannot read more (p2p.md §2 Frames). */
export const MAX_FRAME_BYTES = 0x7f_ffff

/** Cipher of the frames, with a counter that begins at zero and goes on from frame to frame. */
export const FRAME_CIPHER = 'aes-256-ctr'

/** Bytes of a frame's header with its MAC. */
export const HEADER_BYTES: number = 2 * BLOCK_BYTES

/** Bytes of the size in a header. */
export const FRAME_SIZE_BYTES = 3

/** Header data of a message that is whole in one frame: `[0]`. */
const HEADER_DATA = Buffer.from([0xc1, 0x80])
/** Code 0 as RLP writes it; the others that exist stand for themselves. */
const CODE_ZERO = 0x80

/** Bytes of a body as it is filled up. */
export function paddedLength(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}

/** Writes the frames of one direction, in their order (p2p.md §2 Frames). */
export class FrameWriter {
  readonly #cipher
  readonly #mac: FrameMac

  constructor(aes: Buffer, mac: FrameMac) {
    this.#cipher = createCipheriv(FRAME_CIPHER, aes, Buffer.alloc(BLOCK_BYTES))
    this.#mac = mac
  }

  /**
   * The next frame.
   * @param code below 0x80
   * @param headerData what stands behind the size; of a message that is whole in this frame unless given
   * @throws RangeError for more than {@link MAX_FRAME_BYTES}
   */
  write(code: number, payload: Buffer, headerData: Buffer = HEADER_DATA): Buffer {
    const size = 1 + payload.length
    if (size > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${size} bytes`)
    const padded = paddedLength(size)
    const frame = Buffer.allocUnsafe(HEADER_BYTES + padded + BLOCK_BYTES)

    const header = Buffer.alloc(BLOCK_BYTES)
    header.writeUIntBE(size, 0, FRAME_SIZE_BYTES)
    headerData.copy(header, FRAME_SIZE_BYTES)
    const encryptedHeader = this.#cipher.update(header)
    encryptedHeader.copy(frame)
    this.#mac.ofHeader(encryptedHeader).copy(frame, BLOCK_BYTES)

    let at = HEADER_BYTES
    at += this.#cipher.update(Buffer.from([code === 0 ? CODE_ZERO : code])).copy(frame, at)
    at += this.#cipher.update(payload).copy(frame, at)
    at += this.#cipher.update(Buffer.alloc(padded - size)).copy(frame, at)
    this.#mac.addBody(frame.subarray(HEADER_BYTES, at))
    this.#mac.ofBody().copy(frame, at)
    return frame
  }
}
