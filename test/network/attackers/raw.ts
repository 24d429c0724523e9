import type { Test } from 'tap'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import { FRAME_CODES } from '../../../src/p2p/messages/codes.ts'
import { encodeEthStatus } from '../../../src/p2p/messages/ethStatus.ts'
import { RawPeer } from '../../support/rawPeer.ts'
import type { WholeNode } from '../wholeNode.ts'

/** A connection that is a peer of the node and says nothing more by itself. */
export async function openRaw(
  t: Test,
  victim: WholeNode,
  spec: NetworkSpec,
  address: string,
): Promise<RawPeer> {
  const peer = await RawPeer.connect(victim.place.port, victim.place.address, address)
  t.teardown(async () => peer.destroy())
  await peer.shakeHands(Buffer.from(victim.place.id, 'hex'))
  peer.sendHello()
  const genesisHash = victim.open.chain.reader.hashByNumber(0)
  if (genesisHash === null) throw new Error('no genesis')
  peer.send(
    FRAME_CODES.ethStatus,
    encodeEthStatus({
      protocolVersion: 62,
      networkId: spec.p2p.networkId,
      totalDifficulty: 1n,
      bestHash: genesisHash,
      genesisHash,
    }),
  )
  return peer
}
