import { defineMethod } from '../defineMethod.ts'
import { formatSyncing } from '../format/formatSyncing.ts'

/** Progress of synchronisation, or false. */
export const syncing = defineMethod({
  name: 'eth_syncing',
  doc: 'Progress of synchronisation, or false.',
  params: [],
  result: { title: 'sync status' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (context) => formatSyncing(context.status().syncing),
})
