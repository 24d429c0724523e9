import { RlpError, type RlpItem, readRlpItems } from '../../../src/chain/codec/rlpReader.ts'
import { encodeBytes, encodeList } from '../../../src/chain/codec/rlpWriter.ts'
import type { Chance } from '../chance.ts'

/** Lengths at which RLP changes its form, and the widths of words, hashes and keys. */
const ODD_LENGTHS = [0, 1, 2, 8, 19, 20, 21, 31, 32, 33, 55, 56, 64, 65, 80, 256, 1024]

/** Bytes at which readers change their minds. */
const ODD_BYTES = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xff]

/** The bytes with one to four changes that know nothing of their form. */
export function mutatedBytes(chance: Chance, bytes: Buffer, others: readonly Buffer[]): Buffer {
  let changed: Buffer = Buffer.from(bytes)
  for (let changes = 1 + chance.below(4); changes > 0; changes -= 1)
    changed = changedOnce(chance, changed, others)
  return changed
}

function changedOnce(chance: Chance, bytes: Buffer, others: readonly Buffer[]): Buffer {
  const at = chance.below(bytes.length + 1)
  const to = Math.min(bytes.length, at + 1 + chance.below(32))
  switch (chance.below(7)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), chance.bytes(chance.below(16)), bytes.subarray(at)])
    case 3:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, to), bytes.subarray(to)])
    case 4: {
      const other = chance.pick(others)
      return Buffer.concat([bytes.subarray(0, at), other.subarray(chance.below(other.length + 1))])
    }
    case 5:
      if (at < bytes.length) bytes[at] = chance.pick(ODD_BYTES)
      return bytes
    default:
      if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8))
      return bytes
  }
}

/** The item with changes to single elements, the lengths around them made right again; as bytes where it is no RLP. */
export function mutatedRlp(chance: Chance, bytes: Buffer, others: readonly Buffer[]): Buffer {
  try {
    const [item] = readRlpItems(bytes)
    if (item !== undefined) return rewritten(chance, item, chance.pick([0.01, 0.05, 0.2]), 0)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
  }
  return mutatedBytes(chance, bytes, others)
}

/** Deepest list that is gone into; deeper ones are kept as they are. */
const DEPTH = 8

function rewritten(chance: Chance, item: RlpItem, rate: number, depth: number): Buffer {
  if (chance.happens(rate)) return replaced(chance)
  if (!item.isList || depth === DEPTH) return item.isList ? encodeList([]) : encodeBytes(item.bytes)
  const elements = item.items.map((element) => rewritten(chance, element, rate, depth + 1))
  if (chance.happens(rate)) elements.pop()
  if (chance.happens(rate)) elements.push(replaced(chance))
  if (chance.happens(rate) && elements.length > 0) elements.push(chance.pick(elements))
  if (chance.happens(rate)) elements.splice(chance.below(elements.length + 1), 1)
  return encodeList(elements)
}

function replaced(chance: Chance): Buffer {
  const length = chance.pick(ODD_LENGTHS)
  const content = chance.happens(0.5) ? chance.bytes(length) : Buffer.alloc(length, chance.pick(ODD_BYTES))
  switch (chance.below(6)) {
    case 0:
      return encodeList([])
    case 1:
      return encodeList([encodeBytes(content)])
    // Numbers with zeros before them, and single bytes that need no head.
    case 2:
      return encodeBytes(Buffer.concat([Buffer.alloc(1 + chance.below(3)), content]))
    case 3:
      return Buffer.concat([Buffer.from([0x81]), chance.bytes(1)])
    default:
      return encodeBytes(content)
  }
}
