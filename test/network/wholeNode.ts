import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { OpenChain } from '../../src/execution/openChain.ts'
import { openPeerNode, type PeerNode } from '../../src/node/peers/peerNode.ts'
import type { PeerAddress } from '../../src/p2p/peers/ports.ts'
import { createNodeKey } from '../../src/p2p/wire/curve.ts'
import type { SyncLimits } from '../../src/sync/client/limits.ts'
import type { Halt } from '../../src/sync/halt/halt.ts'
import { openTestChain } from '../support/openTestChain.ts'
import { SILENT_LOG } from '../support/peerScene.ts'
import { LocalSyncChain } from '../support/syncChain.ts'
import { testFolder } from '../support/testFolder.ts'

/** Peers, synchronisation, scores and a chain as the product has them, in this process. */
export interface WholeNode {
  readonly node: PeerNode
  readonly open: OpenChain
  /** The chain as synchronisation has it. */
  readonly chain: LocalSyncChain
  readonly place: PeerAddress
  isAt(block: Block): boolean
}

/** How a {@link WholeNode} differs from others. */
export interface WholeNodeChoice {
  /** Peers whose word it waits for before it synchronises, and what else it waits for. */
  readonly expectedPeers?: number
  readonly limits?: Partial<SyncLimits>
  /** Whether it takes connections, and whether it looks for others by UDP. */
  readonly listens?: boolean
  readonly discovery?: boolean
  readonly onHalt?: (halt: Halt | null) => void
}

/**
 * Opens a node that goes with the test.
 * @param host address of loopback that it listens at and dials from
 * @param known blocks that it has, without genesis
 * @param choice what it does otherwise than to listen, to look for nobody and to follow the first peer
 */
export async function openWholeNode(
  t: Test,
  spec: NetworkSpec,
  host: string,
  statics: readonly PeerAddress[] = [],
  known: readonly Block[] = [],
  choice: WholeNodeChoice = {},
): Promise<WholeNode> {
  const open = openTestChain(t, { spec })
  for (const block of known) open.chain.connect(block)
  const { listens = true, discovery = false, expectedPeers = 1, limits, onHalt = () => undefined } = choice
  const chain = new LocalSyncChain(spec, open)
  const key = createNodeKey(randomBytes)
  const node = await openPeerNode({
    options: {
      dataDir: discovery ? testFolder(t) : '',
      client: `whole/${host}`,
      host,
      port: 0,
      listens,
      address: null,
      discovery,
      statics: [],
      trusted: [],
      maxPeers: 30,
      memoryBytes: 256 * 1024 * 1024,
      expectedPeers,
      checkpoints: [],
      snapshotServer: false,
      syncMode: 'full',
      backfill: true,
    },
    key,
    chain,
    states: null,
    statics,
    log: SILENT_LOG,
    localAddress: host,
    ...(limits === undefined ? {} : { limits }),
    onHalt,
  })
  t.teardown(() => node.close())
  const place = { id: key.id.toString('hex'), address: host, port: node.port }
  return { node, open, chain, place, isAt: (block) => open.chain.head.hash.equals(block.hash) }
}
