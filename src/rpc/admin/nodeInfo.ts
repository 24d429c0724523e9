import { formatEnode } from '../../p2p/identity/enode.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { hostPort } from '../format/hostPort.ts'

/**
 * This node as peers know it, in geth's form, with its members of the same types. `id` is the node id, not a hash of
 * it; there is no `enr`, because nodes of RSK have no such record, and no `config` of the chain.
 */
export const adminNodeInfo = defineMethod({
  name: 'admin_nodeInfo',
  doc: 'This node as its peers know it: node id, enode URL, address and port.',
  params: [],
  result: { type: 'object' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: async ({ peers, chain }) => {
    const own = await peers.self()
    if (own === null) throw new RpcError('executionFailed', 'the node runs without peers')
    const { id, client, address, port, listensOn, discovers, networkId } = own
    const genesis = chain.hashByNumber(0)
    return {
      id,
      name: client,
      enode: formatEnode({ id, host: address, port }),
      ip: address,
      ports: { discovery: discovers ? port : 0, listener: port },
      listenAddr: listensOn === null ? '' : hostPort(listensOn, port),
      protocols: {
        rsk: {
          network: networkId,
          genesis: genesis === null ? null : toHex(genesis),
          head: toHex(chain.head().hash),
        },
      },
    }
  },
})
