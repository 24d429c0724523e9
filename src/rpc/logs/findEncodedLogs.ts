import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import type { BeyondHead } from '../../config/beyondHead.ts'
import type { NodeContext } from '../context.ts'
import { DELEGATE_TO_WORKER, type Forward, PagedResult, type RpcResult } from '../json.ts'
import type { LogFilter } from '../params/logFilter.ts'
import { anchoredRuns } from '../select/anchoredChain.ts'
import { RECENT_DEPTH } from '../select/resolveBlock.ts'
import { resolveLogRange } from './resolveLogRange.ts'

/** Blocks of a range that the front thread searches. */
const MAX_BLOCKS = 1024
/** Addresses and topics that are looked up in the index. */
const MAX_TERMS = 16
/** The bounds of a search, which then takes some 100 µs: about the way to a worker and back with so long an answer. */
const BOUNDS = { bytes: 256 * 1024, logs: 4096 }
const NOTHING = { length: 0, moveTo: () => undefined }

/**
 * Logs of a short range of young blocks whose logs are all kept as text, for the front thread; anything else is
 * left to the workers, after which the logs are kept.
 * @throws RpcError as the search of a worker
 */
export function findEncodedLogs(
  context: NodeContext,
  filter: LogFilter,
  beyondHead: BeyondHead,
): RpcResult | Forward {
  if (filter.blockHash !== null) return DELEGATE_TO_WORKER
  const { chain, node, encodedObjects } = context
  const range = resolveLogRange(context, filter, beyondHead)
  if (range === null) return []
  const head = chain.head()
  if (countTerms(filter) > MAX_TERMS) return DELEGATE_TO_WORKER
  const mostBlocks = Math.min(MAX_BLOCKS, node.settings.logBlocks)
  if (range.to - range.from >= mostBlocks || head.number - range.from > RECENT_DEPTH)
    return DELEGATE_TO_WORKER
  const hashes: Buffer[] = []
  for (const run of anchoredRuns(chain, filter, { ...range, tip: head.hash })) hashes.push(run.hashes)
  if (hashes.length === 0) return new PagedResult(NOTHING, null)
  const [first = Buffer.alloc(0)] = hashes
  const found = encodedObjects.findLogs(filter, hashes.length === 1 ? first : Buffer.concat(hashes), BOUNDS)
  return found === null ? DELEGATE_TO_WORKER : new PagedResult(found, null)
}

function countTerms({ addresses, topics }: LogCriteria): number {
  return topics.reduce((sum, alternatives) => sum + alternatives.length, addresses.length)
}
