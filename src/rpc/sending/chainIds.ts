import { parseRLPList } from '../../chain/codec/rlpReader.ts'
import { bytesToBigInt } from '../../util/bytes.ts'
import { invalidParams, type RpcError } from '../errors.ts'

/** Index of `v` in a signed transaction (consensus.md §5.1), and its most bytes: a chain id has 256 bits. */
const V_INDEX = 6
const MAX_V_BYTES = 32
/** Least `v` of a chain id (EIP-155). */
const CHAIN_ID_OFFSET = 35n

/**
 * The refusal of a transaction for another chain: the reference's text and, behind it, the chain id of this network.
 * @param found as the sender gave it
 */
export function wrongChainId(found: string | number | bigint, own: number): RpcError {
  return invalidParams(`Invalid chainId: ${found}, for the chain id of this network is ${own}`)
}

/**
 * The chain that a transaction is signed for whose `v` has more than one byte, which this network has no use for;
 * null for what is none. The transaction must be an RLP list.
 */
export function chainIdOfWideV(encoded: Uint8Array): bigint | null {
  const v = parseRLPList(encoded)[V_INDEX]?.bytes
  if (v === undefined || v.length < 2 || v.length > MAX_V_BYTES || v[0] === 0) return null
  return (bytesToBigInt(v) - CHAIN_ID_OFFSET) / 2n
}
