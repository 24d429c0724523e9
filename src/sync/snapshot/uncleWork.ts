import { cumulativeDifficulty } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { headerFromItems } from '../../chain/codec/headerDecoder.ts'
import { parseRLPList } from '../../chain/codec/rlpReader.ts'
import { encodeList } from '../../chain/codec/rlpWriter.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { keccak256 } from '../../native/crypto.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from '../client/ask.ts'
import type { HeaderCheck } from '../client/headerCheck.ts'
import type { Suppliers } from '../client/suppliers.ts'
import type { SnapshotLimits } from './limits.ts'

/** Dependencies of fetching the uncles of a branch. */
export interface UncleWorkDeps {
  readonly spec: NetworkSpec
  readonly check: HeaderCheck
  readonly suppliers: Suppliers
  readonly limits: Pick<SnapshotLimits, 'openBodies' | 'requestTimeout'>
  /** Called when a peer sent invalid data. */
  onLied(peer: Peer): void
}

/** Keccak of the RLP of an empty list: a header with it has no uncles, whatever its uncle count. */
const NO_UNCLES: Buffer = keccak256(encodeList([]))

/**
 * The difficulty that a block adds (consensus.md §7): its header's and those of its uncles, which are in the
 * body alone. The header commits to their hash; each has to prove its work.
 * @returns null when no peer provides the body
 */
export async function workOf(
  header: BlockHeader,
  deps: UncleWorkDeps,
  signal: AbortSignal,
): Promise<bigint | null> {
  if (header.fields.unclesHash.equals(NO_UNCLES)) return header.difficulty
  const { suppliers, limits } = deps
  const tried = new Set<Peer>()
  while (!signal.aborted) {
    const peer = suppliers.pick('bodies', limits.openBodies, header.number, tried)
    if (peer === null) {
      if (!suppliers.hasOther(header.number, tried)) return null
      await suppliers.changed()
      continue
    }
    suppliers.asked(peer, 'bodies')
    const question = { type: 'bodyRequest', hash: header.hash } as const
    const answer = await ask<'bodyRequest'>(peer, question, limits.requestTimeout, signal)
    suppliers.answered(peer, 'bodies', typeof answer === 'string' ? answer : 'ok')
    if (answer === 'BUSY') continue
    tried.add(peer)
    if (typeof answer === 'string') continue
    const uncles = readUncles(deps.spec, header, answer.uncles)
    if (uncles !== null && (await deps.check.alone(uncles, signal)) === null)
      return cumulativeDifficulty(header, uncles)
    if (!signal.aborted) deps.onLied(peer)
  }
  return null
}

function readUncles(
  spec: NetworkSpec,
  { fields }: BlockHeader,
  encoded: readonly Buffer[],
): BlockHeader[] | null {
  try {
    const list = encodeList(encoded)
    if (!keccak256(list).equals(fields.unclesHash)) return null
    return parseRLPList(list).map((uncle) => headerFromItems(spec, uncle.items))
  } catch {
    return null
  }
}
