import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import { encodeExtension } from '../../chain/codec/headerExtension.ts'
import { itemAt, parseRLPList, type RlpItem } from '../../chain/codec/rlpReader.ts'
import { encodeList, listLength } from '../../chain/codec/rlpWriter.ts'
import { assertExportable, ExportError } from '../../chain/exportBlocks.ts'
import type { BlockReference } from '../../chain/tables/blockKey.ts'
import { isActive } from '../../config/activations.ts'
import { isDevelopmentNetwork, type NetworkSpec } from '../../config/networkSpec.ts'
import type { BodyExtension } from '../../p2p/messages/rskMessage.ts'

/** Reads of the chain that responses need. */
export interface ServedChain {
  readonly spec: NetworkSpec
  readonly reader: ChainStoreReader
  /** The best block that was announced to peers, which may wait to be the head (fleet.md §3); the head unless given. */
  readonly tip?: BlockReference
}

/** Content of type 15 (p2p.md §4). */
export interface BodyParts {
  readonly transactions: readonly Buffer[]
  readonly uncles: readonly Buffer[]
  readonly extension: BodyExtension | null
}

/** Stored blocks in the encodings of messages, composed of stored bytes. */
export class StoredBlocks {
  readonly #chain: ServedChain

  constructor(chain: ServedChain) {
    this.#chain = chain
  }

  /** A connected block, canonical or not, that may be served. */
  find(hash: Buffer): BlockReference | null {
    const number = this.#chain.reader.heightOf(hash)
    return number === null ? null : { number, hash }
  }

  /** The best block that was announced to peers; the head where that is not stored. */
  best(): BlockReference {
    const { reader, tip } = this.#chain
    if (tip !== undefined && reader.heightOf(tip.hash) !== null) return tip
    const { number, hash } = reader.head()
    return { number, hash }
  }

  /** The block of a height in the chain of the {@link best} one: what was announced to peers has to be shown. */
  at(number: number): BlockReference | null {
    let block: BlockReference | null = this.#chain.tip === undefined ? null : this.best()
    if (block !== null && number > block.number) return null
    while (block !== null && !this.#isCanonical(block)) {
      if (block.number === number) return block
      block = this.parentOf(block)
    }
    const hash = this.#chain.reader.hashByNumber(number)
    return hash === null ? null : { number, hash }
  }

  #isCanonical({ number, hash }: BlockReference): boolean {
    return this.#chain.reader.hashByNumber(number)?.equals(hash) === true
  }

  /** Its parent, if it is stored. */
  parentOf(block: BlockReference): BlockReference | null {
    const header = this.#chain.reader.encodedHeader(block)
    return header === null || block.number === 0 ? null : this.find(parentHash(header))
  }

  /** RLP of the whole block; null where it is not stored, or no other node would accept it. */
  encoded(block: BlockReference): Buffer | null {
    const parts = this.#parts(block)
    if (parts === null) return null
    return encodeList([parts.header, listContent(parts.body)])
  }

  /** Size of {@link encoded} without composing it, bytes; 0 where it is not stored. */
  encodedLength(block: BlockReference): number {
    const { reader } = this.#chain
    const header = reader.encodedHeader(block)
    const body = reader.storedBody(block)
    return header === null || body === null ? 0 : listLength(header.length + listContent(body).length)
  }

  /** RLP of the compressed header (p2p.md §4); null where it is not stored. */
  compressedHeader(block: BlockReference): Buffer | null {
    const header = this.#chain.reader.encodedHeader(block)
    if (header === null || !this.#mayBeExtended(block.number)) return header
    return parseHeader(this.#chain.spec, header).encodedCompressed
  }

  /** The parts after the header; null as with {@link encoded}. */
  body(block: BlockReference): BodyParts | null {
    const parts = this.#parts(block)
    if (parts === null) return null
    const items = parseRLPList(parts.body)
    return {
      transactions: elements(itemAt(items, 0)),
      uncles: elements(itemAt(items, 1)),
      extension: this.#extension(block, parts.header),
    }
  }

  #parts(block: BlockReference): { header: Buffer; body: Buffer } | null {
    const { reader } = this.#chain
    const header = reader.encodedHeader(block)
    const body = reader.storedBody(block)
    return header === null || body === null || !this.#isForOthers(block) ? null : { header, body }
  }

  #extension(block: BlockReference, header: Buffer): BodyExtension | null {
    if (!this.#mayBeExtended(block.number)) return null
    const { extension } = parseHeader(this.#chain.spec, header)
    return extension && { version: extension.version, data: encodeExtension(extension) }
  }

  /** Before RSKIP351 both forms of a header are the same bytes. */
  #mayBeExtended(number: number): boolean {
    return number > 0 && isActive(this.#chain.spec, 'rskip351', number)
  }

  #isForOthers(block: BlockReference): boolean {
    const { spec, reader } = this.#chain
    if (!isDevelopmentNetwork(spec)) return true
    const decoded = reader.blockOf(block)
    if (decoded === null) return false
    try {
      assertExportable(reader, decoded)
      return true
    } catch (error) {
      if (error instanceof ExportError) return false
      throw error
    }
  }
}

const HASH_LENGTH = 32

/** Parent hash of a header's RLP: its first element, after the prefixes of the list and its own. */
function parentHash(header: Buffer): Buffer {
  const start = contentOffset(header) + 1
  return header.subarray(start, start + HASH_LENGTH)
}

/** The encoded content of a list. */
function listContent(list: Buffer): Buffer {
  return list.subarray(contentOffset(list))
}

function contentOffset(list: Buffer): number {
  const first = list[0] ?? 0
  return first <= 0xf7 ? 1 : 1 + first - 0xf7
}

/** Encodings of the elements of a list, or of the contents of strings in it (transactions are lists). */
function elements(list: RlpItem): Buffer[] {
  return list.items.map((item) => item.bytes)
}
