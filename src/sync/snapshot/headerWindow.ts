import type { BlockHeader } from '../../chain/codec/header.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import { itemAt, parseRLPList } from '../../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList } from '../../chain/codec/rlpWriter.ts'
import { FORK_DETECTION_ANCESTORS } from '../../chain/forkDetection.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { bigIntToBytes, bytesToBigInt } from '../../util/bytes.ts'
import { CHUNK_HEADERS } from '../client/protocol.ts'

/**
 * Number of headers that the rules of the next one read, and of those of a skeleton's step, which is
 * compared.
 */
const KEPT = FORK_DETECTION_ANCESTORS + CHUNK_HEADERS + 1

interface WindowHeader {
  readonly header: BlockHeader
  /** Compressed form, as received. */
  readonly encoded: Buffer
}

/**
 * The latest headers of a branch that was checked from genesis on, and its total difficulty. Lower ones are
 * not needed: blocks are identified by their hashes in descending order.
 */
export class HeaderWindow {
  readonly #genesis: BlockHeader
  #headers: WindowHeader[] = []
  #totalDifficulty: bigint

  /** Creates a window that begins with genesis. */
  constructor(genesis: BlockHeader, totalDifficulty: bigint = genesis.difficulty) {
    this.#genesis = genesis
    this.#totalDifficulty = totalDifficulty
  }

  /** Decodes a window of {@link encode}; null if this chain does not have it. */
  static decode(spec: NetworkSpec, genesis: BlockHeader, record: Buffer): HeaderWindow | null {
    try {
      const items = parseRLPList(record)
      if (!itemAt(items, 0).bytes.equals(genesis.hash)) return null
      const window = new HeaderWindow(genesis, bytesToBigInt(itemAt(items, 1).bytes))
      window.#headers = itemAt(items, 2).items.map(({ bytes }) => ({
        header: parseHeader(spec, bytes, 'compressed'),
        encoded: Buffer.from(bytes),
      }))
      return window
    } catch {
      return null
    }
  }

  /** The highest header. */
  get last(): BlockHeader {
    return this.#headers.at(-1)?.header ?? this.#genesis
  }

  /** Difficulty of the chain up to and with {@link last}, uncles included. */
  get totalDifficulty(): bigint {
    return this.#totalDifficulty
  }

  /** Adds the next header. @param work difficulty that its block adds */
  add(header: BlockHeader, encoded: Buffer, work: bigint): void {
    this.#headers.push({ header, encoded })
    this.#totalDifficulty += work
    if (this.#headers.length > 2 * KEPT) this.#headers = this.#headers.slice(-KEPT)
  }

  /** Hash of the header of a height, if the window has it. */
  hashAt(number: number): Buffer | null {
    if (number === 0) return this.#genesis.hash
    const lowest = this.#headers[0]?.header.number ?? 0
    return this.#headers[number - lowest]?.header.hash ?? null
  }

  headerByHash(hash: Buffer): BlockHeader | null {
    if (this.#genesis.hash.equals(hash)) return this.#genesis
    return this.#headers.findLast(({ header }) => header.hash.equals(hash))?.header ?? null
  }

  /** Encodes the window for {@link decode}, some hundred KiB. */
  encode(): Buffer {
    return encodeList([
      encodeBytes(this.#genesis.hash),
      encodeBytes(bigIntToBytes(this.#totalDifficulty)),
      encodeList(this.#headers.slice(-KEPT).map(({ encoded }) => encoded)),
    ])
  }
}
