import { isActive } from '../../config/activations.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { keccak256 } from '../../native/crypto.ts'
import { toHex } from '../../util/bytes.ts'
import { CodecError } from './errors.ts'
import type { BlockHeader } from './header.ts'
import { headerFromItems } from './headerDecoder.ts'
import { orderedRoot } from './orderedRoot.ts'
import { itemAt, parseRLPList } from './rlpReader.ts'
import { encodeList, listLength } from './rlpWriter.ts'
import { recoverSenders } from './signature.ts'
import type { Transaction } from './transaction.ts'
import { transactionsFromItems } from './transactionDecoder.ts'

const FIELDS = 3

/** A block: header, transactions and uncle headers. Immutable. */
export class Block {
  readonly header: BlockHeader
  readonly transactions: readonly Transaction[]
  readonly uncles: readonly BlockHeader[]
  #encoded: Buffer | undefined
  #senders: readonly (Buffer | null)[] | undefined

  constructor(header: BlockHeader, transactions: readonly Transaction[], uncles: readonly BlockHeader[]) {
    this.header = header
    this.transactions = transactions
    this.uncles = uncles
  }

  /** Sender of each transaction; null where none is recovered. Recovered when first asked for. */
  get senders(): readonly (Buffer | null)[] {
    this.#senders ??= recoverSenders(this.transactions)
    return this.#senders
  }

  /** Gives senders that were recovered elsewhere, one per transaction. */
  setSenders(senders: readonly (Buffer | null)[]): void {
    this.#senders = senders
  }

  get number(): number {
    return this.header.number
  }

  get hash(): Buffer {
    return this.header.hash
  }

  get hashHex(): string {
    return this.header.hashHex
  }

  /** `[full header, transactions, full uncle headers]` (consensus.md §2.5). */
  get encoded(): Buffer {
    this.#encoded ??= encodeList([
      this.header.encodedFull,
      this.encodedTransactions,
      encodeUncles(this.uncles),
    ])
    return this.#encoded
  }

  /** RLP list of the transactions. */
  get encodedTransactions(): Buffer {
    return encodeList(this.transactions.map((transaction) => transaction.encoded))
  }

  /** `[transactions, full uncle headers]`: the block without its header. */
  get encodedBody(): Buffer {
    return encodeList([this.encodedTransactions, encodeUncles(this.uncles)])
  }

  /** Work that the block adds to the total difficulty: its own and its uncles' (consensus.md §7). */
  get cumulativeDifficulty(): bigint {
    return cumulativeDifficulty(this.header, this.uncles)
  }
}

/** Work that a block of such a header with such uncles adds to the total difficulty (consensus.md §7). */
export function cumulativeDifficulty(header: BlockHeader, uncles: readonly BlockHeader[]): bigint {
  return uncles.reduce((sum, uncle) => sum + uncle.difficulty, header.difficulty)
}

/** Bytes of the RLP of a block. @param body {@link Block.encodedBody} */
export function blockLength(header: BlockHeader, body: Buffer): number {
  const items = parseRLPList(body)
  const [transactions, uncles] = [itemAt(items, 0).bytes, itemAt(items, 1).bytes]
  return listLength(header.encodedFull.length + transactions.length + uncles.length)
}

/**
 * Block of its RLP.
 * @throws RlpError, CodecError, also when the transactions do not have the root that the header names
 */
export function parseBlock(spec: NetworkSpec, rlp: Uint8Array): Block {
  const block = parseBlockUnchecked(spec, rlp)
  const expected = transactionsRoot(spec, block.number, block.transactions)
  const found = block.header.fields.txTrieRoot
  if (!expected.equals(found)) {
    throw new CodecError('BLOCK_TRANSACTIONS_ROOT', toHex(expected), toHex(found))
  }
  return block
}

/** Block of an RLP that is known to be right: its transactions are not checked against the header. */
export function parseBlockUnchecked(spec: NetworkSpec, rlp: Uint8Array): Block {
  const items = parseRLPList(rlp)
  if (items.length !== FIELDS) throw new CodecError('BLOCK_SIZE', `${FIELDS} elements`, String(items.length))
  return new Block(
    headerFromItems(spec, itemAt(items, 0).items),
    transactionsFromItems(itemAt(items, 1).items),
    itemAt(items, 2).items.map((uncle) => headerFromItems(spec, uncle.items)),
  )
}

/** Block of a stored header and body: {@link BlockHeader.encodedFull} and {@link Block.encodedBody}. */
export function blockFromParts(spec: NetworkSpec, header: Buffer, body: Buffer): Block {
  const items = parseRLPList(body)
  return new Block(
    headerFromItems(spec, parseRLPList(header)),
    transactionsFromItems(itemAt(items, 0).items),
    itemAt(items, 1).items.map((uncle) => headerFromItems(spec, uncle.items)),
  )
}

/** Root of the trie of transactions (consensus.md §2.6, RSKIP126). */
export function transactionsRoot(
  spec: NetworkSpec,
  number: number,
  transactions: readonly Transaction[],
): Buffer {
  return orderedRoot(
    transactions.map((transaction) => transaction.encoded),
    isActive(spec, 'rskip126', number),
  )
}

/** Hash of the list of full uncle headers (consensus.md §2.1). */
export function unclesHash(uncles: readonly BlockHeader[]): Buffer {
  return keccak256(encodeUncles(uncles))
}

function encodeUncles(uncles: readonly BlockHeader[]): Buffer {
  return encodeList(uncles.map((uncle) => uncle.encodedFull))
}
