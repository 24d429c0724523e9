import type { BlockHeader } from '../../chain/codec/header.ts'
import { parseHeader } from '../../chain/codec/headerDecoder.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { ChunkPlan } from './skeleton.ts'

/** Why an answer is not the chunk that was asked for, and who lied. */
export type ChunkFault = 'server' | 'skeleton'

/** The headers of a chunk, ascending, with their bytes as they came. */
export interface HeaderChunk {
  readonly headers: readonly BlockHeader[]
  readonly encoded: readonly Buffer[]
}

/**
 * Reads an answer with headers: descending from the hash that was asked for, each the parent of the one before, as
 * many as were asked for. What the hashes prove is not the server's lie: a height that is not the one of the skeleton
 * is the lie of who gave that.
 * @param below hash that the skeleton has for the parent of the lowest, null where it names none
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
    const header = decode(spec, encoded)
    if (header === null || !header.hash.equals(wanted)) return 'server'
    const number = plan.number - headers.length
    if (header.number !== number) return 'skeleton'
    wanted = header.parentHash
    headers.push(header)
  }
  if (headers.length !== plan.count || answer.length !== plan.count) return 'server'
  if (below !== null && !wanted.equals(below)) return 'skeleton'
  return { headers: headers.reverse(), encoded: answer.toReversed() }
}

function decode(spec: NetworkSpec, encoded: Buffer): BlockHeader | null {
  try {
    return parseHeader(spec, encoded, 'compressed')
  } catch {
    return null
  }
}
