import t from 'tap'
import { NoPeers } from '../../../src/p2p/noPeers.ts'
import type { OwnNode, PeerInfo } from '../../../src/p2p/peerAdmin.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext } from '../../support/chainContext.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD)

/** What two nodes of geth 1.15.11 said of one another, with `config` of the chain and texts of no meaning cut. */
const GETH_PEERS = [
  {
    enode: 'enode://36bb@127.0.0.1:30412?discport=0',
    id: '3520',
    name: 'Geth/v1.15.11-stable/linux-amd64/go1.26.8',
    caps: ['eth/68', 'snap/1'],
    network: {
      localAddress: '127.0.0.1:37732',
      remoteAddress: '127.0.0.1:30412',
      inbound: false,
      trusted: false,
      static: true,
    },
    protocols: { eth: { version: 68 }, snap: { version: 1 } },
  },
]
const GETH_NODE = {
  id: 'e290',
  name: 'Geth/v1.15.11-stable/linux-amd64/go1.26.8',
  enode: 'enode://14de@127.0.0.1:30411?discport=0',
  enr: 'enr:-J-4',
  ip: '127.0.0.1',
  ports: { discovery: 0, listener: 30411 },
  listenAddr: '[::]:30411',
  protocols: { eth: { network: 12345, genesis: '0xd4e5', head: '0xd4e5' } },
}
/** Members that nodes of RSK have nothing for, or this node does not tell. */
const LEFT_OUT = ['enr', 'network.localAddress']

class OnePeer extends NoPeers {
  override async self(): Promise<OwnNode> {
    const flags = { listensOn: '::', discovers: false, networkId: 775 }
    return { id: 'aa'.repeat(64), client: 'Rhizome/test', address: '198.51.100.1', port: 5050, ...flags }
  }

  override async peers(): Promise<readonly PeerInfo[]> {
    const head = { number: 300, hash: 'ab'.repeat(32), totalDifficulty: 1n << 80n }
    const flags = { inbound: false, trusted: false, static: true }
    const place = { id: 'bb'.repeat(64), address: '198.51.100.2', port: 5050 }
    return [{ ...place, ...flags, client: 'RSKj', capabilities: ['rsk/62', 'snap/1'], head }]
  }
}

async function ask(method: string): Promise<unknown> {
  const service = createLocalService({ ...createChainContext(chain), peers: new OnePeer() })
  const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  service.close()
  return JSON.parse(text).result
}

/** Paths of the members of an answer with their types; the main protocol has the name of this chain's. */
function shapeOf(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, kindOf(value)]])
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [
      ...shapeOf(member, `${path}${path === '' ? '' : '.'}${name === 'eth' ? 'rsk' : name}`),
    ]),
  )
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? `array of ${typeof value[0]}` : typeof value
}

for (const [method, recorded] of [
  ['admin_peers', GETH_PEERS[0]],
  ['admin_nodeInfo', GETH_NODE],
] as const) {
  t.test(`${method} has what geth 1.15.11 has, of the same types`, async (t) => {
    const answer = await ask(method)
    const ours = shapeOf(Array.isArray(answer) ? answer[0] : answer)
    for (const [path, kind] of shapeOf(recorded)) {
      if (!LEFT_OUT.includes(path)) t.equal(ours.get(path), kind, path)
    }
  })
}

t.test('what geth writes in a form of its own is in that form', async (t) => {
  t.match(await ask('admin_nodeInfo'), {
    listenAddr: '[::]:5050',
    ports: { discovery: 0, listener: 5050 },
    protocols: { rsk: { network: 775, head: `0x${HEAD.toString('hex')}` } },
  })
  t.match(await ask('admin_peers'), [
    {
      network: { remoteAddress: '198.51.100.2:5050' },
      protocols: { rsk: { version: 62 }, snap: { version: 1 } },
    },
  ])
})
