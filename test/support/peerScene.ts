import { createLogger } from '../../src/observe/logger.ts'
import type { PeerMessage, PeerRequest, ResponseTo } from '../../src/p2p/messages/rskMessage.ts'
import type { Peer, UnnumberedRequest } from '../../src/p2p/peer.ts'
import { ConnectedPeer } from '../../src/p2p/peers/connectedPeer.ts'
import { createPeerLimits, type PeerLimits } from '../../src/p2p/peers/limits.ts'
import { PeerMemory } from '../../src/p2p/peers/peerMemory.ts'
import type { PeerServices } from '../../src/p2p/peers/peerServices.ts'
import { RequestIds } from '../../src/p2p/peers/pendingRequests.ts'
import type { LocalChain, PeerJudge } from '../../src/p2p/peers/ports.ts'
import { SeenMessages } from '../../src/p2p/peers/seenMessages.ts'
import { FAKE_STATUS, FakeConnection, type FakeConnectionOptions } from './fakeConnection.ts'
import { VirtualTime } from './virtualTime.ts'

/** The chain that the node under test says it has. */
export const FAKE_CHAIN: LocalChain = {
  networkId: FAKE_STATUS.networkId,
  genesisHash: FAKE_STATUS.genesisHash,
  status: () => ({
    bestNumber: 7,
    bestHash: Buffer.alloc(32, 7),
    bestParentHash: Buffer.alloc(32, 6),
    totalDifficulty: 140n,
  }),
}

export const SILENT_LOG = createLogger({ level: 'silent', format: 'json' })

/** A judge that notes all and refuses whom the test says. */
export class FakeJudge implements PeerJudge {
  readonly events: { readonly id: string | null; readonly event: string }[] = []
  readonly addresses = new Set<string>()
  readonly nodes = new Set<string>()

  record({ id }: { readonly id: string | null }, event: string): void {
    this.events.push({ id, event })
    if (event === 'invalidBlock' && id !== null) this.nodes.add(id)
  }

  refusesAddress(address: string): boolean {
    return this.addresses.has(address)
  }

  refusesNode(id: string): boolean {
    return this.nodes.has(id)
  }

  score(): number {
    return 0
  }

  names(): string[] {
    return this.events.map(({ event }) => event)
  }
}

/** Connected peers over fake connections, and all that became of them. */
export class PeerScene {
  readonly time = new VirtualTime()
  readonly judge = new FakeJudge()
  readonly services: PeerServices
  readonly ready: ConnectedPeer[] = []
  readonly gone: ConnectedPeer[] = []
  readonly messages: PeerMessage[] = []
  /** What deals with messages; replaced by tests. */
  deal: (message: PeerMessage) => void | Promise<void> = () => undefined

  constructor(limits: PeerLimits = createPeerLimits(30)) {
    this.services = {
      chain: FAKE_CHAIN,
      judge: this.judge,
      memory: new PeerMemory({ peer: limits.peerBytes, total: limits.totalBytes }),
      outgoing: new PeerMemory({ peer: limits.outgoingPeerBytes, total: limits.outgoingTotalBytes }),
      seen: new SeenMessages(),
      ids: new RequestIds(),
      scheduler: this.time,
      paces: true,
      log: SILENT_LOG,
    }
  }

  connect(
    options: FakeConnectionOptions = {},
    trusted = false,
  ): { peer: ConnectedPeer; connection: FakeConnection } {
    const connection = new FakeConnection(options)
    const peer = new ConnectedPeer(connection, trusted, this.services, {
      onReady: (ready) => void this.ready.push(ready),
      onMessage: (_, message) => {
        this.messages.push(message)
        return this.deal(message)
      },
      onGone: (gone) => void this.gone.push(gone),
    })
    peer.start()
    return { peer, connection }
  }
}

/** Capabilities of a node of this kind. */
export const RHIZOME = [
  { name: 'rsk', version: 62 },
  { name: 'rhizome', version: 1 },
]

/** Asks a peer; the answer has the type that belongs to the question's. */
export function ask<T extends UnnumberedRequest['type']>(
  peer: Peer,
  question: UnnumberedRequest & { readonly type: T },
  timeout: number,
): Promise<ResponseTo<Extract<PeerRequest, { type: T }>>> {
  // The compiler cannot see that a question of a type has the answer of that type.
  return peer.request(question as never, timeout) as Promise<never>
}
