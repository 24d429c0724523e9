import t, { type Test } from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import { parseHeader } from '../../../../src/chain/codec/headerDecoder.ts'
import { createNetworkSpec, type NetworkSpec } from '../../../../src/config/networkSpec.ts'
import { networkByName } from '../../../../src/config/networks/byName.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { answerRequest, type ChainRequest } from '../../../../src/sync/serve/answerRequest.ts'
import { RequestServer, type RequestServerOptions } from '../../../../src/sync/serve/requestServer.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import { FakePeer } from '../../../support/fakePeer.ts'
import { LocalSyncChain } from '../../../support/syncChain.ts'

const regtest = networkByName('regtest')
const withHeights = (activationHeights: object): NetworkSpec =>
  createNetworkSpec(regtest, { activationHeights })

/** Headers of version 0, 1 and 2, as the networks have them by turns. */
const SPECS: Readonly<Record<string, NetworkSpec>> = {
  V0: withHeights({ rskip351: -1, rskip535: -1 }),
  V1: withHeights({ rskip351: 1, rskip535: -1 }),
  V2: withHeights({ rskip351: 1, rskip535: 1 }),
}

function scene(t: Test, blocks: number, spec = regtest) {
  const maker = new BlockMaker(t, spec, true)
  const made = maker.extend(maker.genesis, blocks)
  const chain = new LocalSyncChain(spec, maker.open)
  return { maker, chain, blocks: [maker.genesis, ...made] }
}

for (const [name, spec] of Object.entries(SPECS)) {
  t.test(`every form of a block, with headers of ${name}`, async (t) => {
    const { chain, blocks } = scene(t, 6, spec)
    const peer = new FakePeer(blocks)
    const last = blocks[6]
    if (last === undefined) throw new Error('no block')
    t.equal(last.header.fields.version, Number(name.slice(1)))
    const questions: ChainRequest[] = [
      { type: 'blockRequest', id: 1n, hash: last.hash },
      { type: 'bodyRequest', id: 1n, hash: last.hash },
      { type: 'bodyRequest', id: 1n, hash: (blocks[0] as typeof last).hash },
      { type: 'blockHeadersRequest', id: 1n, hash: last.hash, count: 4 },
      { type: 'blockHeadersRequest', id: 1n, hash: last.hash, count: 100 },
      { type: 'blockHashRequest', id: 1n, height: 3 },
      { type: 'skeletonRequest', id: 1n, startNumber: 2 },
      { type: 'blockRangeRequest', id: 1n, hash: last.hash, count: 3 },
    ]
    for (const question of questions) {
      // The peer of the tests encodes decoded blocks; the server puts stored bytes together.
      const expected = await peer.request(question as never, 1000)
      t.same(answerRequest(chain, question), expected, question.type)
    }
    const headers = answerRequest(chain, { type: 'blockHeadersRequest', id: 1n, hash: last.hash, count: 1 })
    const [header] = headers?.type === 'blockHeadersResponse' ? headers.headers : []
    t.ok(parseHeader(spec, header ?? Buffer.alloc(0), 'compressed').hash.equals(last.hash))
    t.same(answerRequest(chain, { type: 'getBlock', hash: last.hash }), {
      type: 'block',
      block: last.encoded,
    })
  })
}

t.test('what gets no answer', async (t) => {
  const { chain, blocks } = scene(t, 3)
  const unknown = Buffer.alloc(32, 7)
  const silent: ChainRequest[] = [
    { type: 'getBlock', hash: unknown },
    { type: 'blockRequest', id: 1n, hash: unknown },
    { type: 'bodyRequest', id: 1n, hash: unknown },
    { type: 'blockHeadersRequest', id: 1n, hash: unknown, count: 1 },
    { type: 'blockHeadersRequest', id: 1n, hash: blocks[3]?.hash ?? unknown, count: 193 },
    { type: 'blockHashRequest', id: 1n, height: 0 },
    { type: 'blockHashRequest', id: 1n, height: 4 },
    { type: 'blockHashRequest', id: 1n, height: 2 ** 60 },
    { type: 'skeletonRequest', id: 1n, startNumber: 4 },
    { type: 'blockRangeRequest', id: 1n, hash: unknown, count: 5 },
  ]
  for (const question of silent) t.equal(answerRequest(chain, question), null, JSON.stringify(question.type))
})

t.test(
  'the chain of the best block that peers were told of is shown, also before it is the head',
  async (t) => {
    const { maker, chain, blocks } = scene(t, 6)
    const [genesis, first, second] = blocks as [Block, Block, Block, ...Block[]]
    const branch = maker.extend(second, 3, { label: 'waits' })
    const told = branch.at(-1) ?? second
    const served = { spec: chain.spec, reader: chain.reader, tip: told }
    const ask = (question: ChainRequest) => answerRequest(served, question)
    t.match(ask({ type: 'skeletonRequest', id: 1n, startNumber: 0 }), {
      blocks: [{ hash: genesis.hash }, { hash: told.hash, number: 5 }],
    })
    t.match(ask({ type: 'skeletonRequest', id: 1n, startNumber: 5 }), { blocks: [{}, { hash: told.hash }] })
    t.match(ask({ type: 'blockHashRequest', id: 1n, height: 3 }), { hash: branch[0]?.hash })
    t.match(ask({ type: 'blockHashRequest', id: 1n, height: 1 }), { hash: first.hash })
    t.equal(ask({ type: 'blockHashRequest', id: 1n, height: 6 }), null)
    // A store that lacks it shows the head.
    const lacking = { ...served, tip: { number: 9, hash: Buffer.alloc(32, 9) } }
    t.match(answerRequest(lacking, { type: 'skeletonRequest', id: 1n, startNumber: 0 }), {
      blocks: [{}, { hash: chain.reader.head().hash }],
    })
  },
)

t.test('a block on a state that was edited by hand is given to nobody', async (t) => {
  const { chain, blocks } = scene(t, 2)
  const last = blocks[2]?.hash ?? Buffer.alloc(0)
  const reader = Object.create(chain.reader, {
    hasEditedState: { value: (hash: Buffer) => hash.equals(blocks[1]?.hash ?? last) },
  }) as typeof chain.reader
  // Private parts of the reader are read through the reader itself.
  for (const name of ['heightOf', 'encodedHeader', 'storedBody', 'blockOf'] as const) {
    Object.defineProperty(reader, name, { value: chain.reader[name].bind(chain.reader) })
  }
  const served = { spec: chain.spec, reader }
  t.equal(answerRequest(served, { type: 'blockRequest', id: 1n, hash: last }), null)
  t.equal(answerRequest(served, { type: 'bodyRequest', id: 1n, hash: last }), null)
  t.equal(answerRequest(served, { type: 'blockRangeRequest', id: 1n, hash: last, count: 2 }), null)
  t.not(answerRequest(served, { type: 'blockRequest', id: 1n, hash: blocks[1]?.hash ?? last }), null)
})

/** A server with a clock of its own, on which all waiting takes place. */
function server(chain: LocalSyncChain, options: Partial<RequestServerOptions> = {}) {
  const clock = { now: 0, waited: [] as number[] }
  const made = new RequestServer({
    chain,
    states: null,
    now: () => clock.now,
    stopwatch: () => clock.now,
    wait: async (milliseconds) => {
      clock.now += milliseconds
      if (milliseconds > 0) clock.waited.push(milliseconds)
      await new Promise((resolve) => setImmediate(resolve))
    },
    ...options,
  })
  return { server: made, clock }
}

t.test('answers of one peer come in order, questions beyond a number are dropped', async (t) => {
  const { chain, blocks } = scene(t, 3)
  const { server: serving } = server(chain, { limits: { waiting: 3 } })
  const peer = new FakePeer(blocks)
  const ask = (id: bigint) => serving.onRequest(peer, { type: 'blockHashRequest', id, height: Number(id) })
  await Promise.all([ask(1n), ask(2n), ask(3n), ask(1n), ask(2n)])
  t.same(
    peer.sent.map((message) => (message as { id: bigint }).id),
    [1n, 2n, 3n],
  )
  t.match(serving.stats, { answered: 3, dropped: 2 })
  await ask(2n)
  t.equal(peer.sent.length, 4, 'there is room again')
  serving.onPeerGone(peer)
  t.equal(serving.stats.peers, 0)
})

t.test('a peer gets no more bytes a second than its share, and does not hold up another', async (t) => {
  const { chain, blocks } = scene(t, 3)
  const block = blocks[3]
  if (block === undefined) throw new Error('no block')
  const size = block.encoded.length
  const { server: serving, clock } = server(chain, {
    limits: { peerBytes: 2 * size, totalBytes: 100 * size },
  })
  const [greedy, modest] = [new FakePeer(blocks), new FakePeer(blocks)]
  const question = { type: 'blockRequest', id: 1n, hash: block.hash } as const
  const all = Promise.all(Array.from({ length: 12 }, () => serving.onRequest(greedy, question)))
  await serving.onRequest(modest, question)
  t.ok(greedy.sent.length <= 3, `${greedy.sent.length} answers to the other`)
  await all
  t.equal(greedy.sent.length, 12)
  // Twelve blocks at two a second, of which two go at once and one on credit.
  t.ok(clock.now >= 4500 && clock.now <= 5500, `${clock.now} ms`)
})

t.test('time of the thread is shared out as well, and silence costs, too', async (t) => {
  const { chain, blocks } = scene(t, 3)
  let work = 0
  Object.defineProperty(chain, 'refresh', {
    value: () => {
      work += 20
    },
  })
  const { server: serving, clock } = server(chain, { limits: { peerTime: 10 }, stopwatch: () => work })
  const peer = new FakePeer(blocks)
  const unknown = { type: 'bodyRequest', id: 1n, hash: Buffer.alloc(32, 7) } as const
  for (let asked = 0; asked < 4; asked += 1) await serving.onRequest(peer, unknown)
  t.equal(peer.sent.length, 0)
  t.ok(clock.now >= 3000, `${clock.now} ms for four questions that take 20 ms each at 10 ms a second`)
})

t.test('time counts five times while the node is far behind itself', async (t) => {
  const { chain, blocks } = scene(t, 3)
  let work = 0
  Object.defineProperty(chain, 'refresh', {
    value: () => {
      work += 20
    },
  })
  const took = async (isFarBehind: boolean) => {
    const limits = { peerTime: 10 }
    const made = server(chain, { limits, stopwatch: () => work, isFarBehind: () => isFarBehind })
    const began = made.clock.now
    const peer = new FakePeer(blocks)
    const unknown = { type: 'bodyRequest', id: 1n, hash: Buffer.alloc(32, 7) } as const
    for (let asked = 0; asked < 4; asked += 1) await made.server.onRequest(peer, unknown)
    return made.clock.now - began
  }
  const ordinary = await took(false)
  const behind = await took(true)
  t.ok(behind >= 4.5 * ordinary, `${behind} ms in the place of ${ordinary}`)
})

t.test('ranges are bounded in bytes and number', async (t) => {
  const { chain, blocks } = scene(t, 3)
  const last = blocks[3]?.hash ?? Buffer.alloc(0)
  const range = (count: number): readonly Buffer[] => {
    const answer = answerRequest(chain, { type: 'blockRangeRequest', id: 1n, hash: last, count })
    return answer?.type === 'blockRangeResponse' ? answer.blocks : []
  }
  t.same(
    range(2),
    blocks.slice(2).map(({ encoded }) => encoded),
  )
  t.equal(range(1_000_000).length, 4, 'down to genesis')
  t.equal(range(0).length, 1)
})

t.test('who asked for a block is noted, and errors of the store end nothing', async (t) => {
  const { chain, blocks } = scene(t, 2)
  const given: string[] = []
  const { server: serving } = server(chain, { onGiven: (_peer, hash) => given.push(hash.toString('hex')) })
  const peer = new FakePeer(blocks)
  const answers: unknown[] = []
  const send = peer.send.bind(peer)
  peer.send = (message: PeerMessage, isAnswer?: boolean) => {
    answers.push(isAnswer)
    return send(message)
  }
  const hash = blocks[2]?.hash ?? Buffer.alloc(0)
  await serving.onRequest(peer, { type: 'getBlock', hash })
  t.same(given, [hash.toString('hex')])
  t.same(answers, [true], 'it goes by the pace of the peer')
  t.same(
    peer.sent.map(({ type }: PeerMessage) => type),
    ['block'],
  )
  Object.defineProperty(chain, 'refresh', {
    value: () => {
      throw new Error('broken')
    },
  })
  await serving.onRequest(peer, { type: 'getBlock', hash })
  t.equal(peer.sent.length, 1)
  serving.close()
  await serving.onRequest(peer, { type: 'getBlock', hash })
  t.equal(serving.stats.dropped, 1)
})
