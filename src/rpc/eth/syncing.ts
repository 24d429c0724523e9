import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../shared/quantity.ts'

/** Progress of synchronisation, or false. */
export const syncing = defineMethod({
  name: 'eth_syncing',
  doc: 'Progress of synchronisation, or false.',
  params: [],
  result: { title: 'sync status' },
  lane: 'inline',
  cost: 1,
  cache: 'head',
  handler: (context) => {
    const { syncing: progress } = context.status()
    if (progress === null) return false
    return {
      startingBlock: quantity(progress.startingBlock),
      currentBlock: quantity(progress.currentBlock),
      highestBlock: quantity(progress.highestBlock),
    }
  },
})
