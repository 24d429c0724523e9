import { defineMethod } from '../defineMethod.ts'
import { namedPeer } from '../guards/enodeParam.ts'
import { plainText } from '../params/plainText.ts'

/** Drops a node and keeps no connection to it any more, as geth has it. */
export const removePeer = defineMethod({
  name: 'admin_removePeer',
  doc: 'Drops the node of an enode URL and keeps no connection to it any more; true where there was one.',
  params: [plainText('enode')],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }, [enode]) => peers.remove((await namedPeer(peers, enode)).id),
})
