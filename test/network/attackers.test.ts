import { connect } from 'node:net'
import t, { type Test } from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { encodeBytes, encodeList, encodeUnsigned } from '../../src/chain/codec/rlpWriter.ts'
import { FRAME_CODES } from '../../src/p2p/messages/codes.ts'
import { encodePeerMessage } from '../../src/p2p/messages/rskCodec.ts'
import { BlockMaker, spoil } from '../support/blockMaker.ts'
import { until } from '../support/peerNode.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { openLiar } from './attackers/liar.ts'
import { openRaw } from './attackers/raw.ts'
import { openWholeNode, type WholeNode } from './wholeNode.ts'

const MIB = 1024 * 1024
const KNOWN = 20
const CLAIM = 1n << 40n
/** Numbers of messages, with some that none has. */
const TYPES = 24
/** More than two minutes allow (p2p.md §4 Limits). */
const FLOOD = 2500

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.extend(maker.genesis, 24)]
const base = chain.slice(0, KNOWN + 1)

/** A node under attack that follows another one. */
async function scene(t: Test): Promise<{ victim: WholeNode; goesOn(): Promise<void> }> {
  const source = await openWholeNode(t, WEIGHTY, '127.40.0.1', [], base.slice(1))
  const victim = await openWholeNode(t, WEIGHTY, '127.41.0.1', [source.place])
  await until(() => victim.isAt(base.at(-1) as Block))
  const goesOn = async () => {
    for (const block of chain.slice(KNOWN + 1)) {
      source.open.chain.connect(block)
      await until(() => victim.isAt(block))
    }
    t.ok(victim.node.network.stats().memory.peak <= 32 * MIB, 'bytes for one attacker')
    t.equal(victim.node.report().halted, null)
    t.notOk(victim.node.reputation.refusesNode(source.place.id), 'who is honest is not punished')
  }
  return { victim, goesOn }
}

const isPunished = (victim: WholeNode, id: string, address: string) =>
  victim.node.reputation.refusesNode(id) && victim.node.reputation.refusesAddress(address)

t.test('wrong proof of work', async (t) => {
  const { victim, goesOn } = await scene(t)
  const wrong = [...base, spoil(maker.forge(base.at(-1) as Block), { paidFees: 1n })]
  const liar = await openLiar(t, victim, WEIGHTY, '127.50.0.1', wrong, { claims: CLAIM })
  await until(() => isPunished(victim, liar.id, '127.50.0.1'))
  await goesOn()
})

t.test('wrong state root', async (t) => {
  const { victim, goesOn } = await scene(t)
  const wrong = [...base, ...maker.forgeMany(base.at(-1) as Block, 2)]
  const liar = await openLiar(t, victim, WEIGHTY, '127.51.0.1', wrong, { claims: CLAIM })
  await until(() => isPunished(victim, liar.id, '127.51.0.1'))
  await goesOn()
})

t.test('bodies that are withheld', async (t) => {
  const { victim, goesOn } = await scene(t)
  let asked = 0
  const wrong = [...base, ...maker.forgeMany(base.at(-1) as Block, 8)]
  await openLiar(t, victim, WEIGHTY, '127.52.0.1', wrong, {
    claims: CLAIM,
    misbehave: ({ type }) => {
      if (type !== 'bodyRequest' && type !== 'blockRangeRequest') return undefined
      asked += 1
      return 'silent'
    },
  })
  await until(() => asked > 0)
  await goesOn()
})

t.test('a fork of low difficulty costs no body', async (t) => {
  const { victim, goesOn } = await scene(t)
  let bodies = 0
  let headers = 0
  const cheap = [...base.slice(0, 2), ...maker.forgeMany(base[1] as Block, 10, 10_000)]
  await openLiar(t, victim, WEIGHTY, '127.53.0.1', cheap, {
    claims: CLAIM,
    misbehave: ({ type }) => {
      if (type === 'bodyRequest' || type === 'blockRangeRequest') bodies += 1
      if (type === 'blockHeadersRequest') headers += 1
      return undefined
    },
  })
  await until(() => headers > 0)
  await goesOn()
  t.equal(bodies, 0)
})

t.test('headers of a skeleton that are others', async (t) => {
  const { victim, goesOn } = await scene(t)
  const longer = [...base, ...maker.forgeMany(base.at(-1) as Block, 4)]
  const liar = await openLiar(t, victim, WEIGHTY, '127.54.0.1', longer, {
    claims: CLAIM,
    misbehave: ({ type }) =>
      type === 'blockHeadersRequest'
        ? {
            type: 'blockHeadersResponse',
            headers: base.slice(1, 4).map(({ header }) => header.encodedCompressed),
          }
        : undefined,
  })
  await until(() => isPunished(victim, liar.id, '127.54.0.1'))
  await goesOn()
})

t.test('messages of every type without sense, huge counts and deep lists', async (t) => {
  const { victim, goesOn } = await scene(t)
  const deep = Buffer.concat([Buffer.alloc(65_536, 0xf8), Buffer.from('c0', 'hex')])
  const bodies = [
    Buffer.alloc(0),
    deep,
    Buffer.from('fb7fffffff', 'hex'),
    encodeList(Array(60_000).fill(encodeUnsigned(0))),
  ]
  const quiet = await openRaw(t, victim, WEIGHTY, '127.99.0.1')
  t.ok(await quiet.isAnswered(), 'who says nothing wrong stays')
  quiet.destroy()
  await until(() => victim.node.network.stats().inbound === 0)
  let block = 100
  let closed = 0
  for (const body of bodies) {
    for (let type = 0; type < TYPES; type += 1) {
      const raw = await openRaw(t, victim, WEIGHTY, `127.${block}.${type}.1`)
      raw.send(FRAME_CODES.rskMessage, encodeList([encodeList([encodeUnsigned(type), encodeBytes(body)])]))
      if (!(await raw.isAnswered())) closed += 1
      raw.destroy()
      // The next one finds a place.
      await until(() => victim.node.network.stats().inbound === 0)
    }
    block += 1
  }
  t.ok(closed >= TYPES, `${closed} of ${bodies.length * TYPES} were closed`)
  await goesOn()
})

t.test('garbage, and a hundred connections of one block of addresses that say nothing', async (t) => {
  const { victim, goesOn } = await scene(t)
  for (let number = 1; number <= 100; number += 1) {
    const { port, address: host } = victim.place
    const socket = connect({ host, port, localAddress: `127.70.0.${number}` })
    socket.on('error', () => undefined).resume()
    if (number % 2 === 0) socket.write(Buffer.alloc(65_536, number))
    t.teardown(async () => socket.destroy())
  }
  await until(() => victim.node.network.stats().refused.halfOpen > 0)
  t.ok(victim.node.network.stats().halfOpen <= 16)
  await goesOn()
})

t.test('a flood of transactions: what is more than a minute allows is dropped', async (t) => {
  const { victim, goesOn } = await scene(t)
  const raw = await openRaw(t, victim, WEIGHTY, '127.80.0.1')
  for (let seed = 0; seed < FLOOD; seed += 1) {
    const transaction = encodeList(Array.from({ length: 9 }, () => encodeUnsigned(seed + 1)))
    const { code, payload } = encodePeerMessage({ type: 'transactions', transactions: [transaction] })
    raw.send(code, payload)
  }
  const excess = () =>
    victim.node.network.stats().peers.find(({ address }) => address === '127.80.0.1')?.excess ?? 0
  await until(() => excess() > 0)
  await goesOn()
})
