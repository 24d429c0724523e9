import { createDecipheriv, timingSafeEqual } from 'node:crypto'
import { itemAt, RlpError, readRlpItems, rlpItemLength } from '../../chain/codec/rlpReader.ts'
import { EMPTY_BYTES } from '../../util/bytes.ts'
import { BLOCK_BYTES, type FrameMac } from './frameMac.ts'
import { FRAME_CIPHER, FRAME_SIZE_BYTES, HEADER_BYTES, MAX_FRAME_BYTES, paddedLength } from './frameWriter.ts'
import { P2pError } from './p2pError.ts'

/** Buffer that a body gets before any of it is there; it doubles as the body comes. */
const FIRST_BYTES = 16_384
const CODE_ZERO = 0x80
const MAX_CODE = 0x7f
/** Elements of header data that are looked at. */
const MAX_HEADER_FIELDS = 8

/**
 * The memory from which bytes of an unfinished frame are taken before they are kept, and to which they are released.
 */
export interface FrameMemory {
  /** False where so many more are not left. */
  take(bytes: number): boolean
  release(bytes: number): void
}

/** A message as it came. */
export interface Frame {
  readonly code: number
  readonly payload: Buffer
}

/**
 * Reads the frames of one direction of what arrives (p2p.md §2 Frames). What it keeps is bounded by the limit and by
 * what has arrived, whatever a header says.
 */
export class FrameReader {
  /** Bytes of code and payload that a frame may have. */
  limit: number
  /** Null: nobody is asked. */
  memory: FrameMemory | null = null
  readonly #cipher
  readonly #mac: FrameMac
  readonly #header: Buffer = Buffer.alloc(HEADER_BYTES)
  #headerFilled = 0
  /** Bytes of the body at hand; null before its header. */
  #size: number | null = null
  /** Plain bytes of the body so far. */
  #body: Buffer = EMPTY_BYTES
  #bodyFilled = 0
  /** Bytes that {@link memory} has given. */
  #taken = 0
  readonly #bodyMac: Buffer = Buffer.alloc(BLOCK_BYTES)
  #bodyMacFilled = 0
  #pending: Buffer = EMPTY_BYTES

  constructor(aes: Buffer, mac: FrameMac, limit: number = MAX_FRAME_BYTES) {
    this.#cipher = createDecipheriv(FRAME_CIPHER, aes, Buffer.alloc(BLOCK_BYTES))
    this.#mac = mac
    this.limit = limit
  }

  /** Hands in what arrived. All frames of what came before have been taken. */
  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
  }

  /**
   * The next frame that is whole; null when more bytes are needed.
   * @throws P2pError FRAME or TOO_LARGE, after which nothing more can be read
   */
  next(): Frame | null {
    if (this.#size === null && !this.#readHeader()) return null
    const size = this.#size ?? 0
    if (!this.#readBody(paddedLength(size)) || !this.#fill(this.#bodyMac, 'body')) return null
    if (!timingSafeEqual(this.#mac.ofBody(), this.#bodyMac))
      throw new P2pError('FRAME', 'the MAC of a body is wrong')
    const body = this.#body
    this.#startOver()
    return { code: codeOf(body[0] ?? 0), payload: body.subarray(1, size) }
  }

  #readHeader(): boolean {
    if (!this.#fill(this.#header, 'header')) return false
    const encrypted = this.#header.subarray(0, BLOCK_BYTES)
    if (!timingSafeEqual(this.#mac.ofHeader(encrypted), this.#header.subarray(BLOCK_BYTES))) {
      throw new P2pError('FRAME', 'the MAC of a header is wrong')
    }
    const header = this.#cipher.update(encrypted)
    const size = header.readUIntBE(0, FRAME_SIZE_BYTES)
    if (size === 0) throw new P2pError('FRAME', 'a frame without a code')
    if (size > this.limit) throw new P2pError('TOO_LARGE', `a frame of ${size} bytes`)
    refuseChunks(header.subarray(FRAME_SIZE_BYTES))
    this.#size = size
    return true
  }

  #readBody(length: number): boolean {
    while (this.#bodyFilled < length && this.#pending.length > 0) {
      const part = this.#take(length - this.#bodyFilled)
      this.#mac.addBody(part)
      this.#grow(this.#bodyFilled + part.length, length)
      this.#bodyFilled += this.#cipher.update(part).copy(this.#body, this.#bodyFilled)
    }
    return this.#bodyFilled === length
  }

  #grow(needed: number, length: number): void {
    if (this.#body.length >= needed) return
    const size = Math.min(length, Math.max(needed, 2 * this.#body.length, FIRST_BYTES))
    if (this.memory !== null && !this.memory.take(size - this.#taken))
      throw new P2pError('TOO_LARGE', `no room for a frame of ${length} bytes`)
    this.#taken = size
    const body = Buffer.allocUnsafe(size)
    this.#body.copy(body, 0, 0, this.#bodyFilled)
    this.#body = body
  }

  /** Fills a header or a MAC; whether it is full. */
  #fill(target: Buffer, which: 'header' | 'body'): boolean {
    const filled = which === 'header' ? this.#headerFilled : this.#bodyMacFilled
    const now = filled + this.#take(target.length - filled).copy(target, filled)
    if (which === 'header') this.#headerFilled = now
    else this.#bodyMacFilled = now
    return now === target.length
  }

  #take(most: number): Buffer {
    const part = this.#pending.subarray(0, most)
    this.#pending = part.length === this.#pending.length ? EMPTY_BYTES : this.#pending.subarray(part.length)
    return part
  }

  #startOver(): void {
    this.memory?.release(this.#taken)
    this.#taken = 0
    this.#size = null
    this.#headerFilled = 0
    this.#body = EMPTY_BYTES
    this.#bodyFilled = 0
    this.#bodyMacFilled = 0
  }
}

/**
 * Refuses what is part of a message in several frames: `[0, context]` or `[0, context, total]` with a context. Nobody
 * sends them to who announces version 4 (p2p.md §2 Frames). All else instead of header data is ignored.
 */
function refuseChunks(data: Buffer): void {
  let context: Buffer
  try {
    const [list] = readRlpItems(data.subarray(0, rlpItemLength(data, 0)), 1)
    const fields = list?.itemsUpTo(MAX_HEADER_FIELDS) ?? []
    if (fields.length < 2) return
    context = itemAt(fields, 1).bytes
  } catch (cause) {
    if (!(cause instanceof RlpError)) throw cause
    throw new P2pError('FRAME', 'header data that is no list', { cause })
  }
  if (context.some((byte) => byte !== 0)) throw new P2pError('FRAME', 'a message in several frames')
}

function codeOf(first: number): number {
  if (first === CODE_ZERO) return 0
  if (first > MAX_CODE) throw new P2pError('MESSAGE', `a frame of code byte ${first}`)
  return first
}
