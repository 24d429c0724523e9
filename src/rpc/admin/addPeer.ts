import { defineMethod } from '../defineMethod.ts'
import { namedPeer } from '../guards/enodeParam.ts'
import { plainText } from '../params/plainText.ts'

/** Keeps a connection to a node from now on, as geth has it. */
export const addPeer = defineMethod({
  name: 'admin_addPeer',
  doc: 'Keeps a connection to the node of an enode URL until the node stops.',
  params: [plainText('enode')],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }, [enode]) => peers.add(await namedPeer(peers, enode)),
})
