import { keccak_256 } from '@noble/hashes/sha3'
import { Cursor } from './cursor.ts'
import { ProofError } from './errors.ts'

/** Bits from a root downwards, one array element each. */
export type Bits = readonly (0 | 1)[]

/** A child as its parent names it. */
export type Child =
  | { readonly kind: 'hash'; readonly hash: Uint8Array }
  | { readonly kind: 'embedded'; readonly bytes: Uint8Array }

/** A value as its node carries it. */
export type Value =
  | { readonly kind: 'short'; readonly bytes: Uint8Array }
  | { readonly kind: 'long'; readonly hash: Uint8Array; readonly length: number }

/** A parsed Unitrie node. */
export interface Node {
  readonly path: Bits
  readonly left: Child | null
  readonly right: Child | null
  readonly value: Value | null
}

const VERSION_MASK = 0xc0
const VERSION = 0x40
const LONG_VALUE = 0x20
const HAS_PATH = 0x10
const HAS_LEFT = 0x08
const HAS_RIGHT = 0x04
const LEFT_EMBEDDED = 0x02
const RIGHT_EMBEDDED = 0x01
const MAX_SHORT_VALUE = 32
const MAX_EMBEDDED = 44

/** Keccak-256 by a library that the node does not use. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/**
 * Parses a serialised node by RSKIP107 (consensus.md §6.1).
 * @throws ProofError `Malformed` for anything a serialiser would not have written
 */
export function parseNode(bytes: Uint8Array): Node {
  const cursor = new Cursor(bytes)
  const flags = cursor.byte()
  if ((flags & VERSION_MASK) !== VERSION)
    throw new ProofError('Malformed', `node flags 0x${flags.toString(16)}`)
  const path = (flags & HAS_PATH) === 0 ? [] : parsePath(cursor)
  const left = parseChild(cursor, flags & HAS_LEFT, flags & LEFT_EMBEDDED)
  const right = parseChild(cursor, flags & HAS_RIGHT, flags & RIGHT_EMBEDDED)
  if (left !== null || right !== null) cursor.varInt()
  return { path, left, right, value: parseValue(cursor, (flags & LONG_VALUE) !== 0) }
}

function parsePath(cursor: Cursor): Bits {
  const code = cursor.byte()
  const length = code < 32 ? code + 1 : code < 255 ? code + 128 : cursor.varInt()
  const bytes = cursor.take(Math.ceil(length / 8))
  const bits = toBits(bytes)
  if (bits.slice(length).includes(1)) throw new ProofError('Malformed', 'set bits after the shared path')
  return bits.slice(0, length)
}

function parseChild(cursor: Cursor, present: number, embedded: number): Child | null {
  if (present === 0) {
    if (embedded !== 0) throw new ProofError('Malformed', 'an absent child cannot be embedded')
    return null
  }
  if (embedded === 0) return { kind: 'hash', hash: cursor.take(32) }
  const bytes = cursor.take(cursor.byte())
  if (bytes.length > MAX_EMBEDDED) throw new ProofError('Malformed', `embedded node of ${bytes.length} bytes`)
  const child = parseNode(bytes)
  if (child.left !== null || child.right !== null) {
    throw new ProofError('Malformed', 'an embedded node has children')
  }
  return { kind: 'embedded', bytes }
}

function parseValue(cursor: Cursor, long: boolean): Value | null {
  if (!long) {
    const bytes = cursor.take(cursor.left)
    if (bytes.length > MAX_SHORT_VALUE)
      throw new ProofError('Malformed', `value of ${bytes.length} bytes inline`)
    return bytes.length === 0 ? null : { kind: 'short', bytes }
  }
  const hash = cursor.take(32)
  const length = cursor.bigEndian(3)
  if (length <= MAX_SHORT_VALUE) throw new ProofError('Malformed', `value of ${length} bytes stored apart`)
  if (cursor.left > 0) throw new ProofError('Malformed', `${cursor.left} bytes after a long value`)
  return { kind: 'long', hash, length }
}

/** The bits of bytes, most significant first. */
export function toBits(bytes: Uint8Array): Bits {
  return [...bytes].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit): 0 | 1 => ((byte >> (7 - bit)) & 1 ? 1 : 0)),
  )
}
