import type { BlockHeader } from '../../chain/codec/header.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { reasonOf } from '../halt/stall.ts'
import type { ChunkPlan } from './skeleton.ts'

/** A header that this node cannot decode, at the position of a known hash. */
export interface UnreadableHeader {
  readonly number: number
  readonly hash: Buffer
  /** Reason why it cannot be decoded. */
  readonly reason: string
}

/** Reason why a response is not the requested chunk: the peer that sent it, or the skeleton, is at fault. */
export type ChunkFault = 'server' | 'skeleton' | UnreadableHeader

/** The headers of a chunk, ascending, with their bytes as received. */
export interface HeaderChunk {
  readonly headers: readonly BlockHeader[]
  readonly encoded: readonly Buffer[]
}

/**
 * Parses a response with headers: in descending order from the requested hash, each the parent of the one
 * before, as many as requested. Heights are covered by the hashes, so that a height that differs from the
 * skeleton is the fault of the peer that sent the skeleton, not the header.
 * @param below hash in the skeleton of the parent of the lowest; null where the skeleton has none
 */
export function readChunk(
  spec: NetworkSpec,
  plan: ChunkPlan,
  answer: readonly Buffer[],
  below: Buffer | null,
): HeaderChunk | ChunkFault {
  const headers: BlockHeader[] = []
  let wanted = plan.hash
  for (const encoded of answer.slice(0, plan.count)) {
    const number = plan.number - headers.length
    const header = decode(spec, encoded)
    if (typeof header === 'string') return { number, hash: wanted, reason: header }
    if (!header.hash.equals(wanted)) return 'server'
    if (header.number !== number) return 'skeleton'
    wanted = header.parentHash
    headers.push(header)
  }
  if (headers.length !== plan.count || answer.length !== plan.count) return 'server'
  if (below !== null && !wanted.equals(below)) return 'skeleton'
  return { headers: headers.reverse(), encoded: answer.toReversed() }
}

/** The header, or why it cannot be decoded. */
function decode(spec: NetworkSpec, encoded: Buffer): BlockHeader | string {
  try {
    return parseHeader(spec, encoded, 'compressed')
  } catch (error) {
    return reasonOf(error)
  }
}
