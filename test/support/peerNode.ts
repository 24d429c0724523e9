import { randomBytes } from 'node:crypto'
import type { ConnectionTimings } from '../../src/p2p/connection/connectionOptions.ts'
import type { PeerMessage } from '../../src/p2p/messages/rskMessage.ts'
import type { Peer } from '../../src/p2p/peer.ts'
import { createPeerLimits } from '../../src/p2p/peers/limits.ts'
import { PeerNetwork } from '../../src/p2p/peers/peerNetwork.ts'
import type { PeerNetworkOptions } from '../../src/p2p/peers/peerNetworkOptions.ts'
import type { PeerAddress } from '../../src/p2p/peers/ports.ts'
import { createRlpxTransport } from '../../src/p2p/peers/rlpxTransport.ts'
import { createNodeKey } from '../../src/p2p/wire/curve.ts'
import { createSteadyClock } from '../../src/util/steadyClock.ts'
import { FAKE_CHAIN, FakeJudge, SILENT_LOG } from './peerScene.ts'

/** A node that has peers and nothing else, on an address of loopback. */
export interface PeerNode {
  readonly id: string
  readonly network: PeerNetwork
  readonly judge: FakeJudge
  /** Where others find it. */
  readonly place: PeerAddress
  readonly came: Peer[]
  readonly gone: Peer[]
  readonly received: { readonly from: string; readonly message: PeerMessage }[]
  /** What it does with a message; replaced by tests. */
  answer: (peer: Peer, message: PeerMessage) => void | Promise<void>
}

/** What a {@link PeerNode} differs in. */
export type PeerNodeOptions = Partial<
  Omit<PeerNetworkOptions, 'ownId' | 'listener' | 'judge' | 'transport' | 'listen'>
> & {
  /** Of loopback. */
  readonly address?: string
  readonly listens?: boolean
  readonly port?: number
  readonly timings?: Partial<ConnectionTimings>
}

/** A machine that many use may stand still for a while. */
const PATIENT = { connect: 10_000, handshake: 30_000 }

/** Opens a node; whoever does closes its network. */
export async function openPeerNode(options: PeerNodeOptions = {}): Promise<PeerNode> {
  const { address = '127.0.0.1', listens = true, port = 0, timings, ...rest } = options
  const key = createNodeKey(randomBytes)
  const id = key.id.toString('hex')
  const judge = new FakeJudge()
  const node: Omit<PeerNode, 'network' | 'place'> = {
    id,
    judge,
    came: [],
    gone: [],
    received: [],
    answer: () => undefined,
  }
  const network = await PeerNetwork.open({
    ownId: id,
    chain: FAKE_CHAIN,
    transport: createRlpxTransport({
      key,
      client: `test/${address}`,
      snap: true,
      clock: createSteadyClock(),
      localAddress: address,
      timings: { ...PATIENT, ...timings },
    }),
    judge,
    candidates: { candidates: () => [] },
    listen: listens ? { host: address, port } : null,
    limits: createPeerLimits(30),
    statics: [],
    trusted: { ids: [], subnets: [] },
    log: SILENT_LOG,
    ...rest,
    listener: {
      onPeer: (peer) => void node.came.push(peer),
      onPeerGone: (peer) => void node.gone.push(peer),
      onMessage: (peer, message) => {
        node.received.push({ from: peer.id, message })
        return node.answer(peer, message)
      },
    },
  })
  return Object.assign(node, { network, place: { id, address, port: network.port ?? 0 } })
}

/** Waits until something holds; fails by the time that the test file has. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
