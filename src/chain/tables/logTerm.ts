/**
 * Index term of an address or of a topic at a position: 8 bytes as a string of one byte per character. It is
 * a hash: keys take a quarter of the space, and small numbers as topics do not share a prefix. A collision
 * only costs a block that is read in vain.
 */
export type LogTerm = string

/** Characters of a term. */
export const TERM_LENGTH = 8

/** Term of every block with at least one log. */
export const ANY_LOG: LogTerm = '\0\0\0\0\0\0\0\0'

const ADDRESS_SEED = 1

/** Term of logs of a contract, whose address is the bytes from `start` to `end`. */
export function addressTerm(bytes: Buffer, start = 0, end = bytes.length): LogTerm {
  return hash(bytes, start, end, ADDRESS_SEED)
}

/** Term of logs with a topic at a position from 0 on. */
export function topicTerm(position: number, bytes: Buffer, start = 0, end = bytes.length): LogTerm {
  return hash(bytes, start, end, ADDRESS_SEED + 1 + position)
}

const output = Buffer.alloc(TERM_LENGTH)

/** Two lanes of multiply-and-rotate over words of four bytes, as MurmurHash3 mixes them. */
function hash(bytes: Buffer, start: number, end: number, seed: number): LogTerm {
  let a = Math.imul(seed, 0x9e3779b1)
  let b = Math.imul(seed, 0x85ebca77) ^ (end - start)
  let at = start
  for (; at + 4 <= end; at += 4) {
    const word = bytes.readInt32LE(at)
    a = rotate(a ^ mix(word, 0xcc9e2d51), 19) + b
    b = Math.imul(rotate(b ^ mix(word, 0x1b873593), 17) + a, 5)
  }
  for (; at < end; at += 1) {
    a = Math.imul(a ^ (bytes[at] ?? 0), 0x01000193)
    b += a
  }
  output.writeInt32LE(finish(a + b), 0)
  output.writeInt32LE(finish((b ^ 0x5bd1e995) + (a << 1)), 4)
  return output.toString('latin1')
}

function mix(word: number, factor: number): number {
  return Math.imul(rotate(Math.imul(word, factor), 15), 0x2c1b3c6d)
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function finish(value: number): number {
  let mixed = value ^ (value >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) | 0
}
