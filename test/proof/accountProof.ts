import { ProofError } from './errors.ts'
import { accountKey, cellKey } from './keys.ts'
import { type Child, keccak, type Node, parseNode } from './node.ts'
import { assertValue, equal, verifyProof } from './verify.ts'

/** The answer of eth_getProof. */
export interface AccountProofAnswer {
  readonly address: string
  readonly balance: string
  readonly nonce: string
  readonly codeHash: string
  readonly storageHash: string
  readonly accountProof: readonly string[]
  readonly storageProof: readonly CellProofAnswer[]
}

export interface CellProofAnswer {
  readonly key: string
  readonly value: string
  readonly proof: readonly string[]
}

const HASH_OF_NOTHING = keccak(new Uint8Array())
const EMPTY_TRIE_ROOT = keccak(Uint8Array.of(0x80))

/**
 * Verifies everything an eth_getProof answer claims against a state root: nonce, balance, the hashes of code and
 * storage, and each cell.
 * @returns whether the account exists
 * @throws ProofError naming what does not hold
 */
export function verifyAccountProof(stateRoot: Uint8Array, answer: AccountProofAnswer): boolean {
  const address = bytesOf(answer.address)
  const { node, value } = verifyProof(stateRoot, accountKey(address), answer.accountProof.map(bytesOf))
  if (value === null) {
    assertClaim('nonce of an absent account', bytesOf(answer.nonce), new Uint8Array())
    assertClaim('balance of an absent account', bytesOf(answer.balance), new Uint8Array())
  } else {
    assertValue(value, encodeAccount(bytesOf(answer.nonce), bytesOf(answer.balance)))
  }
  assertClaim('codeHash', bytesOf(answer.codeHash), codeHash(node))
  assertClaim('storageHash', bytesOf(answer.storageHash), storageHash(node))
  for (const cell of answer.storageProof) verifyCellProof(stateRoot, address, cell)
  return value !== null
}

/**
 * Verifies a cell of an account against a state root.
 * @returns whether the cell exists
 */
export function verifyCellProof(stateRoot: Uint8Array, address: Uint8Array, cell: CellProofAnswer): boolean {
  const slot = leftPad(bytesOf(cell.key), 32)
  const { value } = verifyProof(stateRoot, cellKey(address, slot), cell.proof.map(bytesOf))
  const claimed = bytesOf(cell.value)
  if (value === null) {
    assertClaim('value of an absent cell', claimed, new Uint8Array())
    return false
  }
  // A quantity loses leading zeros; the node keeps the length.
  assertValue(value, leftPad(claimed, value.kind === 'short' ? value.bytes.length : value.length))
  return true
}

/** RLP of nonce and balance; a balance whose top bit is set gets a leading zero (consensus.md §6.5). */
function encodeAccount(nonce: Uint8Array, balance: Uint8Array): Uint8Array {
  const signed =
    balance.length === 0 || (balance[0] ?? 0) >= 0x80 ? Buffer.concat([Uint8Array.of(0), balance]) : balance
  const body = Buffer.concat([encodeElement(nonce), encodeElement(signed)])
  return Buffer.concat([Uint8Array.of(0xc0 + body.length), body])
}

function encodeElement(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return bytes
  return Buffer.concat([Uint8Array.of(0x80 + bytes.length), bytes])
}

/** Code hangs below the account's node at `80`: its hash or bytes are in the node that the proof ends with. */
function codeHash(account: Node | null): Uint8Array {
  const node = childAt(account?.right ?? null, 'code')
  if (node === null) return HASH_OF_NOTHING
  if (node.path.length !== 7 || node.path.includes(1) || node.value === null) {
    throw new ProofError('Malformed', 'the node of the code lies elsewhere')
  }
  return node.value.kind === 'long' ? node.value.hash : keccak(node.value.bytes)
}

/** The storage's node hangs at `00`: the parent carries its hash or its bytes. */
function storageHash(account: Node | null): Uint8Array {
  const child = account?.left ?? null
  if (child === null) return EMPTY_TRIE_ROOT
  return child.kind === 'hash' ? child.hash : keccak(child.bytes)
}

function childAt(child: Child | null, what: string): Node | null {
  if (child === null) return null
  if (child.kind === 'hash') throw new ProofError('Malformed', `the node of the ${what} is not embedded`)
  return parseNode(child.bytes)
}

function assertClaim(what: string, claimed: Uint8Array, proven: Uint8Array): void {
  if (!equal(claimed, proven)) {
    throw new ProofError('WrongValue', `${what}: ${hex(claimed)} claimed, ${hex(proven)} proven`)
  }
}

/** Bytes of hex data, or of a quantity in the fewest bytes: zero is no byte. */
function bytesOf(text: string): Uint8Array {
  const digits = text.slice(2)
  if (!text.startsWith('0x') || !/^[0-9a-f]*$/.test(digits))
    throw new ProofError('Malformed', `not hex: ${text}`)
  if (digits === '0') return new Uint8Array()
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function leftPad(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length > length)
    throw new ProofError('WrongValue', `${bytes.length} bytes, at most ${length} expected`)
  return Buffer.concat([new Uint8Array(length - bytes.length), bytes])
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
