import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { frontEvents } from '../guards/requireFrontEvents.ts'
import { anyValue } from '../params/subscriptionTopic.ts'

const HEX = /^(0x)?[0-9a-fA-F]+$/

/** Ends a subscription of the same WebSocket; false when that has none of the handle. */
export const unsubscribe = defineMethod({
  name: 'eth_unsubscribe',
  doc: 'Ends a subscription; over WebSocket only.',
  params: [anyValue('subscription', { type: 'string', pattern: '^0x[0-9a-f]+$' }), anyValue('ignored', {})],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (context, [handle]) => {
    const { connection, subscriptions } = frontEvents(context)
    if (connection === null || typeof handle !== 'string' || !HEX.test(handle)) {
      throw new RpcError('methodNotFound')
    }
    return subscriptions.unsubscribe(connection, handle.toLowerCase())
  },
})
