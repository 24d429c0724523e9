import { defineMethod } from '../defineMethod.ts'

/** Numbers of transactions in the pool, as JSON numbers (rpc.md §3.11). */
export const status = defineMethod({
  name: 'txpool_status',
  doc: 'Numbers of pending and queued transactions.',
  params: [],
  result: { type: 'object' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: async ({ pool }) => {
    const [pending, queued] = await Promise.all([pool.pending(), pool.queued()])
    return { pending: pending.length, queued: queued.length }
  },
})
