import { readRlpItems, rlpItemLength } from '../../../src/chain/codec/rlpReader.ts'
import { keccak256 } from '../../../src/native/crypto.ts'

/** Hashes of the transactions of a stored body, each computed when first asked for. */
export class TransactionHashes {
  readonly #body: Buffer
  /** Where each transaction begins, and where the last ends. */
  readonly #bounds: number[]
  readonly #hashes: (Buffer | undefined)[] = []

  /** @param body RLP `[transactions, uncles]`, as stored: its transactions are in canonical form */
  constructor(body: Buffer) {
    this.#body = body
    const [transactions] = readRlpItems(body)[0]?.items ?? []
    const list = transactions?.bytes ?? Buffer.alloc(0)
    const start = list.byteOffset - body.byteOffset
    const end = start + list.length
    this.#bounds = []
    for (let position = contentStart(body, start); position < end; ) {
      this.#bounds.push(position)
      position += rlpItemLength(body, position)
    }
    this.#bounds.push(end)
  }

  /** 32 bytes. @throws RangeError when the block has no transaction there */
  at(index: number): Buffer {
    const known = this.#hashes[index]
    if (known !== undefined) return known
    const start = this.#bounds[index]
    const end = this.#bounds[index + 1]
    if (start === undefined || end === undefined) throw new RangeError(`no transaction ${index} in the block`)
    const hash = keccak256(this.#body.subarray(start, end))
    this.#hashes[index] = hash
    return hash
  }
}

function contentStart(bytes: Buffer, position: number): number {
  const first = bytes[position] ?? 0
  return first <= 0xf7 ? position + 1 : position + 1 + first - 0xf7
}
