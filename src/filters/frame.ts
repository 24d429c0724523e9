import { HANDLE_LENGTH } from './handle.ts'

const HEAD = '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"'
const MIDDLE = '","result":'
const TAIL = '}}'
const FRAME = `${HEAD}${' '.repeat(HANDLE_LENGTH)}${MIDDLE}`
const START = FRAME.length

/**
 * Notifications of one event: all of them are the same bytes but for the subscription's handle, which has a
 * fixed position. The bytes of one call are overwritten by the next.
 */
export class EventFrame {
  readonly #bytes: Buffer

  /** @param result JSON text, as bytes in ASCII */
  constructor(result: string | Uint8Array) {
    const bytes = typeof result === 'string' ? Buffer.from(result, 'utf8') : result
    this.#bytes = Buffer.allocUnsafe(START + bytes.length + TAIL.length)
    this.#bytes.write(FRAME, 'latin1')
    this.#bytes.set(bytes, START)
    this.#bytes.write(TAIL, START + bytes.length, 'latin1')
  }

  for(handle: string): Buffer {
    this.#bytes.write(handle, HEAD.length, HANDLE_LENGTH, 'latin1')
    return this.#bytes
  }
}
