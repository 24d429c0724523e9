import { keccak256 } from '../../native/crypto.ts'
import type { Log } from './receipt.ts'

/** Bytes of a logs bloom. */
export const BLOOM_LENGTH = 256

/** Bloom of logs: three bits per address and per topic (consensus.md §2.6). */
export function createLogsBloom(logs: readonly Log[]): Buffer {
  const bloom = Buffer.alloc(BLOOM_LENGTH)
  for (const log of logs) {
    addToBloom(bloom, log.address)
    for (const topic of log.topics) addToBloom(bloom, topic)
  }
  return bloom
}

/** Sets the bits of one address or topic. */
export function addToBloom(bloom: Buffer, element: Uint8Array): void {
  for (const { byte, mask } of bloomBits(element)) bloom[byte] = (bloom[byte] ?? 0) | mask
}

/** The three bits of an address or topic: byte of the bloom, and the bit in it. */
export function bloomBits(element: Uint8Array): { readonly byte: number; readonly mask: number }[] {
  const hash = keccak256(element)
  return [0, 2, 4].map((index) => {
    const bit = hash.readUInt16BE(index) & 0x7ff
    return { byte: BLOOM_LENGTH - 1 - (bit >> 3), mask: 1 << (bit & 7) }
  })
}

/** Adds every bit of one bloom to another of the same length. */
export function mergeBloom(into: Buffer, bloom: Uint8Array): void {
  for (let index = 0; index < BLOOM_LENGTH; index += 1) into[index] = (into[index] ?? 0) | (bloom[index] ?? 0)
}
