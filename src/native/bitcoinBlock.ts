import type { BitcoinBlockParts } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/** Takes a serialised Bitcoin block apart; null when it does not parse or has no transaction. */
export function readBitcoinBlock(block: Uint8Array): BitcoinBlockParts | null {
  return native(() => addon.readBitcoinBlock(block))
}

/** The 80 bytes of the header of a serialised block, with or without transactions; null when it does not parse. */
export function readBitcoinHeader(block: Uint8Array): Buffer | null {
  return native(() => addon.readBitcoinHeader(block))
}

/** The transaction at the start of the bytes, without what follows it; null when it does not parse. */
export function readBitcoinCoinbase(bytes: Uint8Array): Buffer | null {
  return native(() => addon.readBitcoinCoinbase(bytes))
}

/** The 32 bytes after the last tag of a coinbase, which name the work; null when it is too short. */
export function workOfBitcoinCoinbase(coinbase: Uint8Array): Buffer | null {
  return native(() => addon.workOfBitcoinCoinbase(coinbase))
}

/**
 * Proof in the RSKIP92 format that the first of a block's transactions is in it.
 * @param ids of the transactions in block order, 32 bytes each, internal byte order
 */
export function proveBitcoinCoinbase(ids: Uint8Array): Buffer {
  return native(() => addon.proveBitcoinCoinbase(ids))
}
