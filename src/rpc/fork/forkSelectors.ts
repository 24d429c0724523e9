import type { UpstreamRefusal } from '../../fork/upstream.ts'

/** An error that the upstream answered with, as it came. */
export class UpstreamAnswerError extends Error {
  readonly refusal: UpstreamRefusal

  constructor(refusal: UpstreamRefusal) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

const HASH = /^0x[0-9a-f]{64}$/i

/** 32 bytes of a value; null where it is no hash. */
export function hashOf(value: unknown): Buffer | null {
  return typeof value === 'string' && HASH.test(value) ? Buffer.from(value.slice(2), 'hex') : null
}

/** The height, hash or tag by which a value names a block; null where it names none. */
export function selectorOf(value: unknown): number | Buffer | 'latest' | 'pending' | null {
  if (value === undefined || value === null) return 'latest'
  if (typeof value === 'object') {
    const { blockNumber, blockHash } = value as { blockNumber?: unknown; blockHash?: unknown }
    return blockHash === undefined || blockHash === null ? selectorOf(blockNumber) : hashOf(blockHash)
  }
  const text = String(value)
  if (text === 'earliest') return 0
  if (text === 'latest' || text === 'safe' || text === 'finalized') return 'latest'
  if (text === 'pending') return 'pending'
  if (HASH.test(text)) return hashOf(text)
  return /^(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : null
}
