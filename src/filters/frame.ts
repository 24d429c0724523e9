import { HANDLE_LENGTH } from './handle.ts'

const HEAD = '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"'
const MIDDLE = '","result":'
const TAIL = '}}'

/**
 * Notifications of one event: all of them are the same bytes but for the subscription's handle, which has a
 * fixed place. The bytes of one call are overwritten by the next.
 */
export class EventFrame {
  readonly #bytes: Buffer

  /** @param result JSON text */
  constructor(result: string) {
    this.#bytes = Buffer.from(`${HEAD}${' '.repeat(HANDLE_LENGTH)}${MIDDLE}${result}${TAIL}`, 'utf8')
  }

  for(handle: string): Buffer {
    this.#bytes.write(handle, HEAD.length, HANDLE_LENGTH, 'latin1')
    return this.#bytes
  }
}
