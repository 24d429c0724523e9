import t from 'tap'
import { REFUSALS } from '../../../src/p2p/peers/peerStats.ts'
import type { NodeStatus, PeeringStatus } from '../../../src/rpc/context.ts'
import { haltBy } from '../../../src/sync/halt/halt.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext } from '../../support/chainContext.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD)
const MEMORY = { used: 0, largest: 0, peak: 0, refused: { peer: 0, total: 0 }, reclaimed: 0 }
const PEER_ADDRESS = '203.0.113.7'
const PEERING: PeeringStatus = {
  network: {
    listening: { address: '0.0.0.0', port: 5050 },
    inbound: 1,
    outbound: 0,
    halfOpen: 0,
    evicted: 0,
    refused: Object.fromEntries(REFUSALS.map((name) => [name, 0])) as PeeringStatus['network']['refused'],
    dials: { open: 0, dialled: 0, failed: 0 },
    memory: MEMORY,
    outgoingMemory: MEMORY,
    bytesIn: 4096,
    bytesOut: 255,
    peers: [
      {
        id: `0123456789abcdef${'ee'.repeat(56)}`,
        address: PEER_ADDRESS,
        port: 50_505,
        client: 'RskJ/9.0.3',
        inbound: true,
        trusted: false,
        static: false,
        capabilities: ['rsk/62'],
        snap: false,
        ranges: false,
        bestNumber: 2000,
        bestHash: `0x${'ab'.repeat(32)}`,
        totalDifficulty: 2n ** 70n,
        connectedSeconds: 61,
        bytesIn: 4096,
        bytesOut: 255,
        score: -3,
        latency: 12.4,
        messagesIn: 1,
        messagesOut: 1,
        excess: 0,
        repeated: 0,
        droppedIn: 0,
        droppedOut: 0,
        heldBytes: 0,
      },
    ],
  },
  sync: {
    stage: 'blocks',
    syncing: true,
    startingBlock: 10,
    currentBlock: 1000,
    highestBlock: 2000,
    checkedHeader: 1500,
    headersPerSecond: 120.26,
    blocksPerSecond: 0.333,
    secondsLeft: 3000,
    peersUsed: 1,
    headerBytes: 0,
    blockBytes: 0,
  },
  knownNodes: 17,
  halted: null,
  clockBehind: null,
  clockAhead: null,
  thread: { restarts: 0, fault: null },
}

/** The text of the answer, as a stranger gets it. */
async function ask(status: Partial<NodeStatus>, method = 'rsk_getPeerStatus'): Promise<string> {
  const context = createChainContext(chain)
  const service = createLocalService({ ...context, status: () => ({ ...context.status(), ...status }) })
  const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  service.close()
  return text
}

t.test('a node without peers has none to tell of', async (t) => {
  t.same(JSON.parse(await ask({})).result, null)
})

t.test('peers and synchronisation, without addresses', async (t) => {
  const text = await ask({ peering: PEERING })
  t.same(JSON.parse(text).result, {
    listening: true,
    knownNodes: '0x11',
    bytesIn: '0x1000',
    bytesOut: '0xff',
    clockBehind: null,
    clockAhead: null,
    isDown: false,
    restarts: '0x0',
    sync: {
      stage: 'blocks',
      syncing: true,
      startingBlock: '0xa',
      currentBlock: '0x3e8',
      highestBlock: '0x7d0',
      checkedHeader: '0x5dc',
      headersPerSecond: 120.3,
      blocksPerSecond: 0.3,
      secondsLeft: '0xbb8',
      peersUsed: '0x1',
      snapshot: null,
      backfill: null,
    },
    halted: null,
    peers: [
      {
        id: '0123456789abcdef',
        client: 'RskJ/9.0.3',
        inbound: true,
        number: '0x7d0',
        totalDifficulty: '0x400000000000000000',
        connectedSeconds: '0x3d',
        bytesIn: '0x1000',
        bytesOut: '0xff',
        score: -3,
        latency: '0xc',
      },
    ],
  })
  t.notOk(text.includes(PEER_ADDRESS))
  t.equal(await ask({ peering: PEERING }, 'ext_getPeerStatus'), text)
})

t.test('how far the blocks below a snapshot are', async (t) => {
  const backfill = {
    state: 'running',
    firstBlock: 4096,
    blocksLeft: 4095,
    blocksPerSecond: 16.66,
    secondsLeft: 246,
    peersUsed: 3,
    fault: null,
  } as const
  const text = await ask({ peering: { ...PEERING, sync: { ...PEERING.sync, backfill } } })
  t.same(JSON.parse(text).result.sync.backfill, {
    state: 'running',
    firstBlock: '0x1000',
    blocksLeft: '0xfff',
    blocksPerSecond: 16.7,
    secondsLeft: '0xf6',
    peersUsed: '0x3',
    fault: null,
  })
})

t.test('while the thread of peers is down its starts are told, and not what it failed of', async (t) => {
  const thread = { restarts: 2, fault: `connect ECONNREFUSED ${PEER_ADDRESS}` }
  const text = await ask({ peering: { ...PEERING, thread, clockAhead: 90 } })
  t.match(JSON.parse(text).result, { isDown: true, restarts: '0x2', clockAhead: '0x5a' })
  t.notOk(text.includes(PEER_ADDRESS))
})

t.test('a halted node says which block, which rule, what was expected and found', async (t) => {
  // Bytes that crossed threads are no Buffer any more.
  const hash = Uint8Array.from(Buffer.alloc(32, 0xcd)) as Buffer
  const block = { number: 1001, hash, rule: 'stateRoot', expected: '0x01', found: '0x02' } as const
  const halted = { cause: 'refusedBlock', ...block, reason: 'it breaks stateRoot', insisting: 3 } as const
  const sync = { ...PEERING.sync, syncing: false, stage: 'halted' } as const
  const { result } = JSON.parse(await ask({ peering: { ...PEERING, halted, sync, clockBehind: 20 } }))
  t.same(result.halted, {
    cause: 'refusedBlock',
    number: '0x3e9',
    hash: `0x${'cd'.repeat(32)}`,
    rule: 'stateRoot',
    expected: '0x01',
    found: '0x02',
  })
  t.equal(result.clockBehind, '0x14')
  t.equal(result.sync.secondsLeft, null, 'nothing comes to an end')
})

t.test('a node that cannot judge a block names it, and not what it failed of', async (t) => {
  const halted = {
    ...haltBy('undecidedBlock', '/home/somebody/data.mdb: no space left'),
    number: 1001,
    hash: Buffer.alloc(32, 0xcd),
  }
  const text = await ask({ peering: { ...PEERING, halted } })
  t.same(JSON.parse(text).result.halted, {
    cause: 'undecidedBlock',
    number: '0x3e9',
    hash: `0x${'cd'.repeat(32)}`,
    rule: null,
    expected: null,
    found: null,
  })
  t.notOk(text.includes('somebody'))
  const atNoBlock = await ask({ peering: { ...PEERING, halted: haltBy('backfillError', 'gone') } })
  t.match(JSON.parse(atNoBlock).result.halted, { cause: 'backfillError', number: null, hash: null })
})
