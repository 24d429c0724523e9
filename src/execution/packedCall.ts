import { bigIntToFixedBytes } from '../util/bytes.ts'
import type { CallRequest, InterruptSource } from './callTypes.ts'

// Positions in a message, as `CallEngine` of the native core reads them (native/crates/binding/src/call_engine.rs).
const BITS = 4
const SLOT = 6
const GAS = 8
const SENDER = 16
const RECEIVER = 36
const GAS_PRICE = 56
const VALUE = 88
const DATA = 120

const WORD_BYTES = 32
const HAS_SENDER = 1
const HAS_RECEIVER = 2
/** Data that fits without new memory. */
const USUAL_DATA_BYTES = 4096

/** Writes calls as the native core takes them, all into the same memory. */
export class CallPacker {
  #bytes = Buffer.alloc(DATA + USUAL_DATA_BYTES)
  #view = viewOf(this.#bytes)

  /** The message of a call, valid until the next one. */
  pack(request: CallRequest, interrupt: InterruptSource | undefined): Uint8Array {
    const { from, to, data } = request
    const bytes = this.#memoryFor(data.length)
    const view = this.#view
    view.setUint32(0, data.length, true)
    bytes[BITS] = (from === null ? 0 : HAS_SENDER) | (to === null ? 0 : HAS_RECEIVER)
    view.setUint16(SLOT, interrupt?.slot ?? 0, true)
    view.setBigUint64(GAS, request.gas, true)
    if (from !== null) bytes.set(from, SENDER)
    if (to !== null) bytes.set(to, RECEIVER)
    writeWord(bytes, GAS_PRICE, request.gasPrice)
    writeWord(bytes, VALUE, request.value)
    bytes.set(data, DATA)
    return bytes
  }

  #memoryFor(length: number): Buffer {
    if (DATA + length > this.#bytes.length) {
      this.#bytes = Buffer.alloc(DATA + length)
      this.#view = viewOf(this.#bytes)
    }
    return this.#bytes
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function writeWord(bytes: Buffer, at: number, value: bigint): void {
  if (value === 0n) bytes.fill(0, at, at + WORD_BYTES)
  else bytes.set(bigIntToFixedBytes(value, WORD_BYTES), at)
}
