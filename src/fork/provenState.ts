import { encodeBytes, encodeList, encodeUnsigned } from '../chain/codec/rlpWriter.ts'
import { keccak256 } from '../native/crypto.ts'
import { bigIntToBytes, bigIntToSignedBytes, fromHex } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'
import { accountKey, cellKey, followProof, isProven, ProofError } from './unitrieProof.ts'
import { bytesOf, numberOf } from './upstreamBlock.ts'

/** An account with some of its cells, all of which is shown by the state root of a block. */
export interface ProvenAccount {
  readonly exists: boolean
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly codeHash: Buffer
  /** Bytes as stored, by slot; none for a cell that is not there. */
  readonly cells: ReadonlyMap<string, Buffer>
}

const EMPTY_HASH = keccak256(Buffer.alloc(0))

/**
 * Checks an answer of eth_getProof against a state root.
 * @param address `0x` hex
 * @param slots `0x` and 64 hex digits, in the order in which they were asked for
 * @throws UpstreamError `UNPROVEN` where it does not show what it says
 */
export function checkProof(
  root: Buffer,
  address: string,
  slots: readonly string[],
  answer: unknown,
): ProvenAccount {
  try {
    return check(root, fromHex(address), slots, (answer ?? {}) as Fields)
  } catch (error) {
    if (!(error instanceof ProofError || error instanceof UpstreamError)) throw error
    throw new UpstreamError(
      'UNPROVEN',
      `the upstream's answer for account ${address} is not what the state root of the block shows: ${error.message}`,
      { cause: error },
    )
  }
}

type Fields = Readonly<Record<string, unknown>>

function check(root: Buffer, address: Buffer, slots: readonly string[], answer: Fields): ProvenAccount {
  const { value, code } = followProof(root, accountKey(address), nodesOf(answer['accountProof']))
  const [nonce, balance] = [numberOf(answer['nonce']), numberOf(answer['balance'])]
  const exists = value !== null
  if (exists ? !isProven(value, encodeAccount(nonce, balance)) : nonce !== 0n || balance !== 0n)
    throw new ProofError('nonce or balance is another one')
  const codeHash = code === null ? EMPTY_HASH : code.kind === 'long' ? code.hash : keccak256(code.bytes)
  const given = Array.isArray(answer['storageProof']) ? (answer['storageProof'] as Fields[]) : []
  const cells = slots.map((slot, index): [string, Buffer] => {
    const cell = given[index] ?? {}
    return [slot, checkCell(root, cellKey(address, fromHex(slot)), cell)]
  })
  return { exists, nonce, balance, codeHash, cells: new Map(cells) }
}

function checkCell(root: Buffer, key: Buffer, cell: Fields): Buffer {
  const { value } = followProof(root, key, nodesOf(cell['proof']))
  if (value?.kind === 'short') return value.bytes
  const claimed = bigIntToBytes(numberOf(cell['value']))
  if (value === null) {
    if (claimed.length > 0) throw new ProofError('a cell is absent')
    return claimed
  }
  // A number has no leading zeros, and the cell may.
  const bytes = Buffer.concat([Buffer.alloc(Math.max(0, value.length - claimed.length)), claimed])
  if (isProven(value, bytes)) return bytes
  throw new ProofError('a cell is another one')
}

/** A balance whose first bit is set gets a zero in front. */
function encodeAccount(nonce: bigint, balance: bigint): Buffer {
  return encodeList([encodeUnsigned(nonce), encodeBytes(bigIntToSignedBytes(balance))])
}

function nodesOf(value: unknown): Buffer[] {
  if (!Array.isArray(value)) throw new ProofError('there are no nodes')
  return value.map(bytesOf)
}
