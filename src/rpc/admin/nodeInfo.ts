import { formatEnode } from '../../p2p/identity/enode.ts'
import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'

/** This node as peers know it, in geth's form; `id` is the node id, not a hash of it. */
export const adminNodeInfo = defineMethod({
  name: 'admin_nodeInfo',
  doc: 'This node as its peers know it: node id, enode URL, address and port.',
  params: [],
  result: { type: 'object' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers }) => {
    const own = await peers.self()
    if (own === null) throw new RpcError('executionFailed', 'the node runs without peers')
    const { id, client, address, port } = own
    return {
      id,
      name: client,
      enode: formatEnode({ id, host: address, port }),
      ip: address,
      ports: { discovery: port, listener: port },
    }
  },
})
