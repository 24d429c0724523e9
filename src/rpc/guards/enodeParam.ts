import { type EnodeAddress, EnodeError, parseEnode } from '../../p2p/identity/enode.ts'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import { invalidParams, RpcError } from '../errors.ts'

/**
 * The node of an enode URL, for a change of the peers.
 * @throws RpcError -32602 for a text that is no enode URL, -32000 on a node without peers
 */
export async function namedPeer(peers: PeerAdmin, text: string): Promise<EnodeAddress> {
  let peer: EnodeAddress
  try {
    peer = parseEnode(text)
  } catch (error) {
    if (error instanceof EnodeError) throw invalidParams(error.message, { cause: error })
    throw error
  }
  if ((await peers.self()) === null) throw new RpcError('executionFailed', 'the node runs without peers')
  return peer
}
