import t from 'tap'
import type { Discovery } from '../../../../src/p2p/discovery/discovery.ts'
import { testFolder } from '../../../support/testFolder.ts'
import { addressOf, DiscoveryScene, keyOf } from './scene.ts'

const NODES = 50

t.test('50 nodes that know one find one another, with a tenth of the packets lost', async (t) => {
  const scene = new DiscoveryScene(testFolder(t), 1, 0.1)
  const nodes: Discovery[] = []
  for (let index = 0; index < NODES; index += 1) nodes.push(await scene.start(index))
  await scene.run(nodes, 135)

  const ids = new Map(
    Array.from({ length: NODES }, (_, index) => [keyOf(`node ${index}`).id.toString('hex'), index]),
  )
  const reached = nodes.map((node) => node.candidates().length)
  // With so much loss a few do not get through to the first node for a minute.
  const [, , third = 0] = reached.toSorted((a, b) => a - b)
  t.ok(third >= 40, `nearly each knows nearly all: ${reached}`)
  for (const node of nodes) {
    for (const { id, address } of node.candidates()) t.equal(address, addressOf(ids.get(id) ?? -1))
  }
  t.ok(
    nodes.every((node, index) => !node.candidates().some(({ id }) => ids.get(id) === index)),
    'nobody knows itself',
  )
  t.notSame(nodes[1]?.candidates(), nodes[1]?.candidates(), 'candidates come in random order')

  await t.test('a restart goes on with the saved nodes, without any bootstrap node', async (t) => {
    const index = 5
    const before = new Set(nodes[index]?.candidates().map(({ id }) => id))
    await nodes[index]?.close()
    const again = await scene.start(index, { bootstrap: [] })
    nodes[index] = again
    await scene.run(nodes, 20)
    const after = again.candidates().map(({ id }) => id)
    t.ok(after.length >= before.size / 2, `${after.length} of ${before.size}`)
    t.ok(after.every((id) => before.has(id)))
  })
  await Promise.all(nodes.map((node) => node.close()))
})

t.test('those that leave are forgotten by all', async (t) => {
  const scene = new DiscoveryScene(testFolder(t), 4, 0.1)
  const nodes: Discovery[] = []
  for (let index = 0; index < 12; index += 1) nodes.push(await scene.start(index))
  await scene.run(nodes, 130)
  const known = () => nodes.map((node) => node.candidates().length)
  t.same(
    known(),
    nodes.map(() => 11),
  )
  const gone = nodes.splice(4, 4)
  await Promise.all(gone.map((node) => node.close()))
  await scene.run(nodes, 180)
  t.same(
    known(),
    nodes.map(() => 7),
  )
  await Promise.all(nodes.map((node) => node.close()))
})

t.test('while nobody is known the bootstrap nodes are resolved and asked at each refresh', async (t) => {
  const scene = new DiscoveryScene(testFolder(t), 2)
  let asked = 0
  const resolve = async () => {
    asked += 1
    if (asked === 1) throw new Error('no network yet')
    return [addressOf(0)]
  }
  const lonely = await scene.start(1, { resolve })
  await scene.run([lonely], 59)
  t.equal(asked, 1)
  await scene.run([lonely], 60)
  t.equal(asked, 2)
  const first = await scene.start(0, { bootstrap: [] })
  await scene.run([lonely, first], 70)
  t.equal(asked, 3)
  t.match(lonely.candidates(), [{ address: addressOf(0) }])
  await scene.run([lonely, first], 300)
  t.equal(asked, 3, 'nobody is asked for once somebody is known')
  await Promise.all([lonely.close(), first.close()])
})

t.test('nodes of another network and refused ones are not met', async (t) => {
  const scene = new DiscoveryScene(testFolder(t), 3)
  const refused = keyOf('node 3').id.toString('hex')
  const nodes = [
    await scene.start(0, {
      refusesAddress: (address) => address === addressOf(2),
      refusesNode: (id) => id === refused,
    }),
    await scene.start(1, { networkId: 8100 }),
    await scene.start(2),
    await scene.start(3),
    await scene.start(4),
  ]
  await scene.run(nodes, 130)
  t.same(
    nodes.map((node) => node.candidates().map(({ address }) => address)),
    [[addressOf(4)], [], [], [], [addressOf(0)]],
  )
  await Promise.all(nodes.map((node) => node.close()))
})
