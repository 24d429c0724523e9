import {
  proveBitcoinCoinbase,
  readBitcoinBlock,
  readBitcoinCoinbase,
  readBitcoinHeader,
  workOfBitcoinCoinbase,
} from '../native/bitcoinBlock.ts'
import { compressBitcoinCoinbase } from '../native/mergedMining.ts'
import type { MiningFields } from '../native/types.ts'
import { EMPTY_BYTES } from '../util/bytes.ts'

/**
 * A solution in one of the three forms that pools submit; all strings unchanged, hex without `0x` (mining.md
 * §5).
 */
export type PoolSolution =
  | {
      readonly kind: 'block'
      /** Header and all transactions. */
      readonly block: string
    }
  | {
      readonly kind: 'transactions'
      readonly header: string
      /** Without witness. */
      readonly coinbase: string
      /** Ids of all transactions, the coinbase's first, display order, separated by white space. */
      readonly hashes: string
    }
  | {
      readonly kind: 'partialMerkle'
      readonly header: string
      readonly coinbase: string
      /** The coinbase's id, then its siblings upwards, internal order, separated by white space. */
      readonly hashes: string
      /** Number of transactions, hex. */
      readonly count: string
    }

/** A parsed solution. */
export interface BitcoinSolution {
  /** The 32 bytes after the last tag of the coinbase. */
  readonly work: Buffer
  /**
   * The Bitcoin fields of the solved header.
   * @throws MalformedSolutionError when a hash is malformed; hashes are parsed only for known work
   */
  fields(): MiningFields
}

/** A malformed submission. */
export class MalformedSolutionError extends Error {
  override readonly name = 'MalformedSolutionError'
  readonly code = 'MALFORMED_SOLUTION'
}

const HASH_BYTES = 32
const MAX_TRANSACTIONS = 0x7fff_ffff

/**
 * Parses a submission in the order of the reference, without the hashes.
 * @throws MalformedSolutionError
 */
export function readSolution(solution: PoolSolution): BitcoinSolution {
  switch (solution.kind) {
    case 'block': {
      const parts = readBitcoinBlock(decodeHex(solution.block, 'block'))
      if (parts === null) throw malformed('block', 'a Bitcoin block with its transactions')
      const { header, coinbase, merkleProof } = parts
      return createSolution(header, coinbase, () => merkleProof)
    }
    case 'transactions': {
      const { header, coinbase } = readHeaderAndCoinbase(solution)
      return createSolution(header, coinbase, () => proveFromTransactions(solution.hashes))
    }
    case 'partialMerkle': {
      const { header, coinbase } = readHeaderAndCoinbase(solution)
      checkCount(solution.count)
      return createSolution(header, coinbase, () => proveFromSiblings(solution.hashes))
    }
  }
}

function createSolution(header: Buffer, coinbase: Buffer, prove: () => Buffer): BitcoinSolution {
  const work = workOfBitcoinCoinbase(coinbase)
  if (work === null) throw malformed('coinbase', '32 bytes after the tag')
  return {
    work,
    fields: () => ({
      bitcoinHeader: header,
      merkleProof: prove(),
      // Without a tag the work would be unknown, so that there is one here.
      coinbase: compressBitcoinCoinbase(coinbase) ?? EMPTY_BYTES,
    }),
  }
}

function readHeaderAndCoinbase(texts: { readonly header: string; readonly coinbase: string }) {
  const header = readBitcoinHeader(decodeHex(texts.header, 'header'))
  if (header === null) throw malformed('header', '80 bytes')
  const coinbase = readBitcoinCoinbase(decodeHex(texts.coinbase, 'coinbase'))
  if (coinbase === null) throw malformed('coinbase', 'a Bitcoin transaction')
  return { header, coinbase }
}

/** From the ids of all transactions in display order. */
function proveFromTransactions(hashes: string): Buffer {
  const ids = splitHashes(hashes).map((text) => {
    const id = decodeHex(text, 'hashes')
    if (id.length !== HASH_BYTES) throw malformed('hashes', `${HASH_BYTES} bytes each`)
    return id.reverse()
  })
  return proveBitcoinCoinbase(Buffer.concat(ids))
}

/** From the siblings themselves in internal order; the first hash, the coinbase's, is dropped. */
function proveFromSiblings(hashes: string): Buffer {
  const all = splitHashes(hashes).map((text) => decodeHex(text, 'hashes').reverse())
  return Buffer.concat(all.slice(1))
}

/** Splits at white space; leading white space counts as an empty hash, as in the reference. */
function splitHashes(text: string): string[] {
  return text.trimEnd().split(/\s+/)
}

/** The count is used by proofs before RSKIP92 only, but must be a number. */
function checkCount(text: string): void {
  const value = /^[+-]?[0-9a-fA-F]+$/.test(text) ? Number.parseInt(text, 16) : Number.NaN
  if (!(Math.abs(value) <= MAX_TRANSACTIONS)) throw malformed('count', 'a number in hex')
}

/** Hex without `0x`; white space is skipped, as in the reference. */
function decodeHex(text: string, name: string): Buffer {
  const digits = /\s/.test(text) ? text.replaceAll(/\s/g, '') : text
  const bytes = Buffer.from(digits, 'hex')
  // Decoding stops at the first character that is no digit.
  if (bytes.length * 2 !== digits.length) throw malformed(name, 'hex without 0x')
  return bytes
}

function malformed(name: string, expected: string): MalformedSolutionError {
  return new MalformedSolutionError(`${name}: ${expected} expected`)
}
