import { randomBytes } from 'node:crypto'
import { networkByName } from '../../src/config/networks/byName.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { CONNECTION_TIMINGS, type ConnectionOptions } from '../../src/p2p/connection/connectionOptions.ts'
import { accept, dial } from '../../src/p2p/connection/transport.ts'
import { formatEnode } from '../../src/p2p/identity/enode.ts'
import { RSK_CAPABILITY } from '../../src/p2p/messages/hello.ts'
import { createPeerLimits } from '../../src/p2p/peers/limits.ts'
import { PeerNetwork } from '../../src/p2p/peers/peerNetwork.ts'
import type { PeerTransport } from '../../src/p2p/peers/ports.ts'
import { PeerReputation } from '../../src/p2p/scoring/peerReputation.ts'
import { createNodeKey, type NodeKey } from '../../src/p2p/wire/curve.ts'
import { announcedStatus } from '../../src/sync/relay/announcedStatus.ts'
import { isRequest, RequestServer } from '../../src/sync/serve/requestServer.ts'
import { createSteadyClock } from '../../src/util/steadyClock.ts'
import { LocalSyncChain } from '../../test/support/syncChain.ts'
import type { LimitedServersReady } from './limitedServers.ts'

const PEERS = 30
const [dataDir = '', count = '1'] = process.argv.slice(2)
const spec = networkByName('regtest')
const opened = openChain({ spec, dataDir })
const chain = new LocalSyncChain(spec, opened)
const clock = createSteadyClock()
const log = createLogger({ level: 'error', format: 'json' })
const enodes: string[] = []
const networks: PeerNetwork[] = []
for (let index = 0; index < Number(count); index++) {
  const host = `127.0.1.${index + 1}`
  const { network, id } = await openServer(host)
  networks.push(network)
  enodes.push(formatEnode({ id, host, port: network.port ?? 0 }))
}
process.on('message', () => {
  const peers = networks.flatMap((network) => network.stats().peers)
  process.send?.(peers.reduce((sum, { excess }) => sum + excess, 0))
})
const ready: LimitedServersReady = { enodes, height: opened.chain.head.number }
process.send?.(ready)
// Nobody is left to stop it.
process.on('disconnect', () => process.exit())

/** What comes in beyond 1,000 messages of a minute is dropped by `PeerNetwork` as by the reference (p2p.md §4 Limits). */
async function openServer(host: string): Promise<{ readonly network: PeerNetwork; readonly id: string }> {
  const key = createNodeKey(randomBytes)
  const id = key.id.toString('hex')
  const server = new RequestServer({ chain, states: null, logger: log })
  const genesisHash = chain.reader.hashByNumber(0)
  if (genesisHash === null) throw new Error('no genesis')
  const network = await PeerNetwork.open({
    ownId: id,
    chain: { networkId: spec.p2p.networkId, genesisHash, status: () => announcedStatus(chain) },
    transport: (port) => rskTransport(key, port),
    judge: new PeerReputation({ clock, wallClock: Date.now, punishes: true, bannedNodes: [] }),
    candidates: { candidates: () => [] },
    listen: { host, port: 0 },
    limits: createPeerLimits(PEERS),
    statics: [],
    trusted: { ids: [], subnets: [] },
    paces: false,
    listener: {
      onPeer: () => undefined,
      onPeerGone: (peer) => server.onPeerGone(peer),
      onMessage: (peer, message) => (isRequest(message) ? server.onRequest(peer, message) : undefined),
    },
    log,
  })
  return { network, id }
}

/** Announces nothing but what the reference does. */
function rskTransport(key: NodeKey, listenPort: number): PeerTransport {
  const options: ConnectionOptions = {
    key,
    client: 'bench',
    capabilities: [RSK_CAPABILITY],
    listenPort,
    random: randomBytes,
    clock,
    timings: CONNECTION_TIMINGS,
  }
  return {
    dial: (target, signal) => dial(target, options, signal),
    accept: (socket, signal) => accept(socket, options, signal),
  }
}
