import type { Test } from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import type { PeerMessage, PeerRequest } from '../../../src/p2p/messages/rskMessage.ts'
import { FakePeer, type FakePeerOptions } from '../../support/fakePeer.ts'
import { openPeerNode, type PeerNode } from '../../support/peerNode.ts'
import type { WholeNode } from '../wholeNode.ts'

/**
 * A peer over a real connection that tells of a chain and answers as it wants.
 * @param address of loopback that it comes from
 * @param chain blocks from genesis on
 */
export async function openLiar(
  t: Test,
  victim: WholeNode,
  spec: NetworkSpec,
  address: string,
  chain: readonly Block[],
  options: FakePeerOptions = {},
): Promise<PeerNode> {
  const mind = new FakePeer(chain, options)
  const { status } = mind
  const [genesis] = chain
  if (status === null || genesis === undefined) throw new Error('a chain is needed')
  const told = {
    bestNumber: status.bestNumber,
    bestHash: status.bestHash,
    bestParentHash: status.bestParentHash ?? genesis.hash,
    totalDifficulty: status.totalDifficulty ?? 0n,
  }
  const peer = await openPeerNode({
    address,
    listens: false,
    statics: [victim.place],
    chain: { networkId: spec.p2p.networkId, genesisHash: genesis.hash, status: () => told },
  })
  t.teardown(() => peer.network.close())
  peer.answer = (from, message) => {
    if (!isQuestion(message)) return
    // Silence is an answer of its own.
    void mind
      .request(message, 0)
      .then((reply) => from.send({ ...reply, id: message.id } as PeerMessage))
      .catch(() => undefined)
  }
  return peer
}

function isQuestion(message: PeerMessage): message is PeerRequest {
  return message.type.endsWith('Request')
}
