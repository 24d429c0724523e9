import { parseRLPList } from '../../../src/chain/codec/rlpReader.ts'
import { encodeBytes, encodeList } from '../../../src/chain/codec/rlpWriter.ts'
import { fromHex, toHex } from '../../../src/util/bytes.ts'

/** Members that follow from when and by whom a block was made. */
const MADE = new Set([
  'timestamp',
  'extraData',
  'size',
  'bitcoinMergedMiningHeader',
  'bitcoinMergedMiningCoinbaseTransaction',
  'bitcoinMergedMiningMerkleProof',
  'hashForMergedMining',
])
/** Members that hold the hash of a block. */
const BLOCK_HASHES = new Set(['hash', 'blockHash', 'parentHash'])
/** Places of time and extra data in a header. */
const CHOSEN = new Set([11, 12])
const HASH = /^0x[0-9a-f]{64}$/

/**
 * Names that the recorded node gave, and those of the replaying node for the same thing: hashes of blocks that it
 * made itself, filters, subscriptions, accounts with random keys.
 */
export class Mapping {
  readonly #own = new Map<string, string>()
  readonly #recorded = new Map<string, string>()

  /** Notes that both names mean the same. Each has one partner for good. */
  learn(recorded: string, own: string): void {
    if (recorded === own || this.#own.has(recorded) || this.#recorded.has(own)) return
    this.#own.set(recorded, own)
    this.#recorded.set(own, recorded)
  }

  /** A recorded request in the names of the replaying node. */
  toOwn(text: string): string {
    return replaceNames(text, this.#own)
  }

  /** An answer of the replaying node in the recorded names. */
  toRecorded(text: string): string {
    return replaceNames(text, this.#recorded)
  }

  /**
   * Learns the hashes of blocks from two answers of the same shape, and takes over what a miner decides.
   * @param pending whether every hash of a block in them may be that of a block that was never made
   */
  align(expected: unknown, found: unknown, pending: boolean): unknown {
    if (Array.isArray(expected) && Array.isArray(found)) {
      return found.map((element, index) => this.align(expected[index], element, pending))
    }
    if (pending && typeof expected === 'string' && typeof found === 'string')
      return alignHeader(expected, found)
    if (!isObject(expected) || !isObject(found)) return found
    return Object.fromEntries(
      Object.entries(found).map(([key, value]) => {
        const other = expected[key]
        if (MADE.has(key) && typeof other === typeof value) return [key, other]
        if (BLOCK_HASHES.has(key) && isHash(other) && isHash(value) && isAboutBlock(found, key, pending)) {
          this.learn(other, value)
          return [key, this.#recorded.get(value) ?? value]
        }
        return [key, this.align(other, value, pending)]
      }),
    )
  }
}

function replaceNames(text: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0) return text
  return text.replace(/0x[0-9a-fA-F]{20,}/g, (name) => names.get(name.toLowerCase()) ?? name)
}

/** A raw header with the time and the extra data of another one. */
function alignHeader(expected: string, found: string): string {
  const [recorded, own] = [expected, found].map(elementsOf)
  if (recorded === null || own === null || recorded?.length !== own?.length) return found
  return toHex(
    encodeList(own?.map((item, index) => (CHOSEN.has(index) ? (recorded?.[index] ?? item) : item)) ?? []),
  )
}

/** Encoded elements of an RLP list in hex; null of anything else. */
function elementsOf(text: string): Buffer[] | null {
  if (!/^0xf9/.test(text)) return null
  const bytes = fromHex(text)
  return parseRLPList(bytes).map((item) => (item.isList ? item.bytes : encodeBytes(item.bytes)))
}

function isAboutBlock(object: Record<string, unknown>, key: string, pending: boolean): boolean {
  return 'parentHash' in object || (pending && key === 'blockHash')
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
