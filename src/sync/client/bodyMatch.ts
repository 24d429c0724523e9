import { type Block, parseBlockUnchecked, transactionsRoot } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { headerFromItems, parseHeader } from '../../chain/codec/headerDecoder.ts'
import { parseExtension } from '../../chain/codec/headerExtension.ts'
import { orderedRoot } from '../../chain/codec/orderedRoot.ts'
import { parseRLPList } from '../../chain/codec/rlpReader.ts'
import { encodeList } from '../../chain/codec/rlpWriter.ts'
import { transactionsFromItems } from '../../chain/codec/transactionDecoder.ts'
import { isActive } from '../../config/activations.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { keccak256 } from '../../native/crypto.ts'
import type { AnswerTo } from './ask.ts'
import type { CheckedHeader } from './branch.ts'

/** Checks whether a response is the block of a header. */
export interface BodyMatch {
  /** @returns RLP of the whole block, null when the body is another block's */
  fromBody(header: CheckedHeader, body: AnswerTo<'bodyRequest'>): Buffer | null
  /** @returns whether a whole block is the one of the header */
  isBlock(header: CheckedHeader, block: Buffer): boolean
}

/** The checks of p2p.md §8 INVALID_MESSAGE: transactions root, uncles hash, extension hash. */
export class BodyRules implements BodyMatch {
  readonly #spec: NetworkSpec

  constructor(spec: NetworkSpec) {
    this.#spec = spec
  }

  fromBody(checked: CheckedHeader, body: AnswerTo<'bodyRequest'>): Buffer | null {
    try {
      const header = this.#fullHeader(checked, body)
      if (header === null) return null
      const uncles = encodeList(body.uncles)
      if (!keccak256(uncles).equals(header.fields.unclesHash)) return null
      const transactions = encodeList(body.transactions)
      if (!this.#hasTransactions(header, body.transactions, transactions)) return null
      return encodeList([header.encodedFull, transactions, uncles])
    } catch {
      return null
    }
  }

  isBlock(checked: CheckedHeader, encoded: Buffer): boolean {
    try {
      const [header, transactions, uncles, ...rest] = parseRLPList(encoded)
      if (header === undefined || transactions === undefined || uncles === undefined || rest.length > 0)
        return false
      const parsed = headerFromItems(this.#spec, header.items)
      if (!parsed.hash.equals(checked.hash)) return false
      // The hashes are those of the canonical encoding, which responses nearly always have: then decoding is
      // unnecessary.
      const values = transactions.items.map(({ bytes }) => bytes)
      const isOfHeader =
        this.#root(parsed, values).equals(parsed.fields.txTrieRoot) &&
        keccak256(uncles.bytes).equals(parsed.fields.unclesHash)
      return isOfHeader || this.#fits(parseBlockUnchecked(this.#spec, encoded))
    } catch {
      return false
    }
  }

  #fits({ header, transactions, uncles }: Block): boolean {
    return (
      transactionsRoot(this.#spec, header.number, transactions).equals(header.fields.txTrieRoot) &&
      keccak256(encodeList(uncles.map((uncle) => uncle.encodedFull))).equals(header.fields.unclesHash)
    )
  }

  #fullHeader({ encoded }: CheckedHeader, { extension }: AnswerTo<'bodyRequest'>): BlockHeader | null {
    const header = parseHeader(this.#spec, encoded, 'compressed')
    if (header.fields.version === 0) return extension === null ? header : null
    return extension === null ? null : header.withExtension(parseExtension(extension.version, extension.data))
  }

  #root({ number }: BlockHeader, transactions: readonly Buffer[]): Buffer {
    return orderedRoot(transactions, isActive(this.#spec, 'rskip126', number))
  }

  /** The root is that of the canonical encoding, which responses nearly always have. */
  #hasTransactions(header: BlockHeader, transactions: readonly Buffer[], list: Buffer): boolean {
    const { txTrieRoot } = header.fields
    if (this.#root(header, transactions).equals(txTrieRoot)) return true
    const decoded = transactionsFromItems(parseRLPList(list))
    return transactionsRoot(this.#spec, header.number, decoded).equals(txTrieRoot)
  }
}
