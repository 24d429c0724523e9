import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { frontEvents, grantedHandle } from '../guards/requireFrontEvents.ts'
import { resumePoint } from '../logs/resumePoint.ts'
import { MAX_CRITERIA_BYTES } from '../params/logFilter.ts'
import { anyValue, parseResumeHash, parseSubscriptionTopic } from '../params/subscriptionTopic.ts'

const OPTIONS = {
  type: 'object',
  properties: {
    address: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    topics: { type: 'array' },
    fromBlock: { type: 'string' },
  },
}
const KINDS = ['newHeads', 'logs', 'newPendingTransactions', 'syncing', 'newWork']

/** Handle of a subscription of the WebSocket that the request came through. */
export const subscribe = defineMethod({
  name: 'eth_subscribe',
  doc: 'Subscribes to newHeads, logs, newPendingTransactions, syncing or newWork; over WebSocket only.',
  params: [anyValue('type', { type: 'string', enum: KINDS }), anyValue('options', OPTIONS)],
  result: { type: 'string' },
  lane: 'inline',
  cost: 5,
  cache: 'none',
  maxParamBytes: MAX_CRITERIA_BYTES,
  handler: (context, [kind, options]) => {
    const { connection, subscriptions } = frontEvents(context)
    const topic = parseSubscriptionTopic(kind, options)
    // The reference takes what it cannot read for an unknown method, over HTTP everything (rpc.md §6).
    if (connection === null || topic === null) throw new RpcError('methodNotFound')
    const hash = parseResumeHash(kind, options)
    if (topic.kind === 'newWork') {
      const { mining } = context.commands
      if (mining === null) throw new RpcError('methodNotFound')
      mining.keepAwake()
    }
    return grantedHandle(
      subscriptions.subscribe(connection, topic, hash === null ? null : resumePoint(context, hash)),
      'subscriptions of this connection, or of its client',
    )
  },
})
