import { keccak256 } from '../native/crypto.ts'

/** A proof that shows nothing, or something else than what was said. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
}

/** The value that a proof shows, as its node has it: long ones by hash and length. */
export type ProvenValue =
  | { readonly kind: 'short'; readonly bytes: Buffer }
  | { readonly kind: 'long'; readonly hash: Buffer; readonly length: number }

type Child = { readonly hash: Buffer } | { readonly embedded: Buffer }

/** A node of a Unitrie (RSKIP107). */
interface Node {
  /** Bits. */
  readonly path: Uint8Array
  readonly left: Child | null
  readonly right: Child | null
  readonly value: ProvenValue | null
}

/** The value of a key as a proof shows it, and that of its code. */
export interface Proven {
  /** Its value; null where there is none. */
  readonly value: ProvenValue | null
  /** The value of the node that hangs to the right of it, seven zero bits further, which is an account's code. */
  readonly code: ProvenValue | null
}

const LONG_VALUE = 0x20
const HAS_PATH = 0x10
const HAS_LEFT = 0x08
const HAS_RIGHT = 0x04
const LEFT_EMBEDDED = 0x02
const RIGHT_EMBEDDED = 0x01
const HASH_PREFIX = 10
const DOMAIN = Buffer.of(0)

/**
 * Follows a key from a state root through nodes, which come from the root down.
 * @throws ProofError where they show neither presence nor absence
 */
export function followProof(root: Buffer, key: Buffer, nodes: readonly Buffer[]): Proven {
  const bits = bitsOf(key, key.length * 8)
  let used = 0
  const open = (child: Child): Node => {
    if ('embedded' in child) return parseNode(child.embedded)
    const bytes = nodes[used]
    used += 1
    if (bytes === undefined || !keccak256(bytes).equals(child.hash))
      throw new ProofError('a node is another one')
    return parseNode(bytes)
  }
  let node: Node | null = open({ hash: root })
  for (let depth = 0; node !== null; ) {
    const { path }: Node = node
    if (!path.every((bit, index) => bits[depth + index] === bit)) return { value: null, code: null }
    depth += path.length
    const bit = bits[depth]
    if (bit === undefined) return { value: node.value, code: codeBelow(node) }
    const child: Child | null = bit === 0 ? node.left : node.right
    depth += 1
    node = child === null ? null : open(child)
  }
  return { value: null, code: null }
}

function codeBelow({ right }: Node): ProvenValue | null {
  if (right === null) return null
  if (!('embedded' in right)) throw new ProofError('the node of the code is not there')
  const { path, value } = parseNode(right.embedded)
  if (path.length !== 7 || path.includes(1)) throw new ProofError('the node of the code lies elsewhere')
  return value
}

/** True for the bytes of a proven value. */
export function isProven(value: ProvenValue | null, bytes: Buffer): boolean {
  if (value === null) return false
  if (value.kind === 'short') return value.bytes.equals(bytes)
  return value.length === bytes.length && keccak256(bytes).equals(value.hash)
}

/** Trie key of an account. */
export function accountKey(address: Buffer): Buffer {
  return Buffer.concat([DOMAIN, keccak256(address).subarray(0, HASH_PREFIX), address])
}

/** Trie key of a cell. @param slot 32 bytes */
export function cellKey(address: Buffer, slot: Buffer): Buffer {
  const first = slot.findIndex((byte) => byte !== 0)
  const short = first < 0 ? DOMAIN : slot.subarray(first)
  return Buffer.concat([accountKey(address), DOMAIN, keccak256(slot).subarray(0, HASH_PREFIX), short])
}

function parseNode(bytes: Buffer): Node {
  const reader = new Reader(bytes)
  const flags = reader.byte()
  if ((flags & 0xc0) !== 0x40) throw new ProofError('a node has another format')
  const path = (flags & HAS_PATH) === 0 ? new Uint8Array() : parsePath(reader)
  const left = (flags & HAS_LEFT) === 0 ? null : parseChild(reader, (flags & LEFT_EMBEDDED) !== 0)
  const right = (flags & HAS_RIGHT) === 0 ? null : parseChild(reader, (flags & RIGHT_EMBEDDED) !== 0)
  // Bytes of what is below.
  if (left !== null || right !== null) reader.variable()
  if ((flags & LONG_VALUE) !== 0) {
    return { path, left, right, value: { kind: 'long', hash: reader.take(32), length: reader.number(3) } }
  }
  const rest = reader.take(reader.left)
  return { path, left, right, value: rest.length === 0 ? null : { kind: 'short', bytes: rest } }
}

function parsePath(reader: Reader): Uint8Array {
  const code = reader.byte()
  const length = code < 32 ? code + 1 : code < 255 ? code + 128 : reader.variable()
  return bitsOf(reader.take(Math.ceil(length / 8)), length)
}

function parseChild(reader: Reader, isEmbedded: boolean): Child {
  return isEmbedded ? { embedded: reader.take(reader.byte()) } : { hash: reader.take(32) }
}

function bitsOf(bytes: Buffer, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, at) => ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
}

/** Reads bytes from front to back, and never more than there are. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  take(count: number): Buffer {
    if (count > this.left) throw new ProofError('a node ends early')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  byte(): number {
    return this.take(1)[0] ?? 0
  }

  number(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** Bitcoin's integer of variable length. */
  variable(): number {
    const first = this.byte()
    if (first < 0xfd) return first
    if (first === 0xff) throw new ProofError('a length is too large')
    return first === 0xfd ? this.take(2).readUInt16LE() : this.take(4).readUInt32LE()
  }
}
