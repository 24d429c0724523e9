import { createBloomTest } from '../../chain/logs/logCriteria.ts'
import type { FilterChanges } from '../../filters/filters.ts'
import { toHex } from '../../util/bytes.ts'
import type { ChainReader } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { frontEvents } from '../guards/requireFrontEvents.ts'
import { whenFiltered } from '../guards/whenFiltered.ts'
import { Forward, RawBytes, type RpcResult } from '../json.ts'
import { encodeLogSearch } from '../logs/logSearch.ts'
import { filterHandle } from '../params/filterHandle.ts'

/** The events since the last poll, or since the filter's creation (decisions.md D33). */
export const getFilterChanges = defineMethod({
  name: 'eth_getFilterChanges',
  doc: 'What happened since the last poll of a filter.',
  params: [filterHandle()],
  result: { type: 'array' },
  lane: 'inline',
  cost: 2,
  cache: 'none',
  handler: (context, [handle]) => {
    const { filters, memory } = frontEvents(context)
    return whenFiltered(filters.poll(handle, memory), (changes) => answer(context.chain, changes))
  },
})

function answer(chain: ChainReader, changes: FilterChanges | null): RpcResult | Forward {
  if (changes === null) throw new RpcError('filterNotFound')
  if (changes.kind === 'result') return new RawBytes(changes.result)
  if (changes.kind === 'hashes') return changes.hashes.map(toHex)
  const blocks = withPossibleMatches(chain, changes)
  if (blocks.length === 0) return []
  // Their logs are read by workers: this thread reads no receipts.
  const search = encodeLogSearch({ criteria: changes.criteria, blocks })
  return new Forward('internal_logsPage', `[${search}]`, changes.undo)
}

/** Blocks whose bloom does not exclude every log of the filter. */
function withPossibleMatches(chain: ChainReader, changes: FilterChanges & { readonly kind: 'logs' }) {
  const mayMatch = createBloomTest(changes.criteria)
  return changes.blocks.filter(({ hash }) => {
    const bloom = chain.storedHeader(hash)?.fields.logsBloom ?? null
    return bloom === null || mayMatch(bloom)
  })
}
