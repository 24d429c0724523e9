import type { Test } from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { createNetworkSpec, type NetworkSpec } from '../../src/config/networkSpec.ts'
import type { Peer } from '../../src/p2p/peer.ts'
import type { SyncLimits } from '../../src/sync/client/limits.ts'
import { SyncClient, type SyncClientOptions } from '../../src/sync/client/syncClient.ts'
import type { Halt } from '../../src/sync/halt/halt.ts'
import { FakePeer, type FakePeerOptions } from './fakePeer.ts'
import { openTestChain, REGTEST } from './openTestChain.ts'
import { LocalSyncChain } from './syncChain.ts'

/** Regtest whose blocks weigh enough for a branch to be lighter than another of its length. */
export const WEIGHTY: NetworkSpec = createNetworkSpec(REGTEST, { genesis: { difficulty: '0x1000' } })

/** Short times, so that silence does not hold a test up. */
export const QUICK: Partial<SyncLimits> = {
  waitForPeers: 0,
  requestTimeout: 150,
  bodyTimeout: 150,
  secondTry: 50,
  patience: 2_000,
  failureRest: 50,
  grace: 100,
  stallRest: 50,
  longestStallRest: 200,
}

/** A client on a chain of its own, with peers in memory. */
export class SyncScene {
  readonly chain: LocalSyncChain
  readonly client: SyncClient
  readonly peers: FakePeer[] = []
  readonly halts: (Halt | null)[] = []
  /** Node ids of those whose scores are not to count. */
  readonly forgiven: string[] = []

  constructor(
    t: Test,
    spec: NetworkSpec,
    options: Partial<SyncClientOptions> = {},
    known: readonly Block[] = [],
  ) {
    const open = openTestChain(t, { spec })
    for (const block of known) if (block.number > 0) open.chain.connect(block)
    this.chain = new LocalSyncChain(spec, open)
    this.client = new SyncClient({
      chain: this.chain,
      peers: this,
      now: () => Math.floor(performance.now()),
      onForgiven: (peers) => this.forgiven.push(...peers.map(({ id }) => id)),
      onHalt: (halt) => this.halts.push(halt),
      ...options,
      limits: { ...QUICK, ...options.limits },
    })
    t.teardown(() => this.client.close())
    this.client.start()
  }

  /** Connects a peer with a chain. */
  add(chain: readonly Block[], options: FakePeerOptions = {}): FakePeer {
    const peer = new FakePeer(chain, options)
    this.peers.push(peer)
    peer.onGone = () => {
      this.peers.splice(this.peers.indexOf(peer), 1)
      this.client.onPeerGone(peer)
    }
    peer.onSent = (message) => {
      if (message.type !== 'getBlock') return
      const block = peer.blockOf(message.hash)
      if (block !== null && !peer.isGone) void this.client.onMessage(peer as Peer, { type: 'block', block })
    }
    this.client.onPeer(peer)
    return peer
  }

  /** Tells that a peer has another chain. */
  grow(peer: FakePeer, chain: readonly Block[]): void {
    peer.follow(chain)
    if (peer.status !== null) void this.client.onMessage(peer, { type: 'status', status: peer.status })
  }

  isAt(block: Block): boolean {
    return this.chain.tip.hash.equals(block.hash)
  }
}

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
