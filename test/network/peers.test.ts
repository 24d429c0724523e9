import t from 'tap'
import { until } from '../support/peerNode.ts'
import { ChildNode } from './childNode.ts'
import { TestNetwork } from './testNetwork.ts'

const NODES = 6

t.test('nodes with delay and loss find one another, part and come together again', async (t) => {
  const network = new TestNetwork()
  network.set({ delay: 40, jitter: 20, loss: 0.05, rate: 2_000_000 })
  const nodes = await Promise.all(Array.from({ length: NODES }, () => ChildNode.start(network)))
  t.teardown(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    network.close()
  })
  for (const node of nodes) node.meet(nodes.map(({ contact }) => contact))
  const [first, , , , , last] = nodes
  const left = nodes.slice(0, NODES / 2)
  const right = nodes.slice(NODES / 2)
  const all = (having: (node: ChildNode) => boolean) => until(() => nodes.every(having))
  // Of two connections that crossed one is given up a little later: with it goes what is sent on it, so nothing is
  // sent before each pair of nodes has one and both ends have told so.
  const areMet = (others: number) =>
    until(
      () =>
        network.connections === (NODES * others) / 2 &&
        nodes.every(({ report }) => report.peers.length === others),
    )

  await areMet(NODES - 1)
  first?.mine(1)
  await all(({ report }) => report.blocks.includes(1))

  network.split(
    left.map(({ place }) => place),
    right.map(({ place }) => place),
  )
  await areMet(NODES / 2 - 1)
  first?.mine(2)
  last?.mine(3)
  await until(() => left.every(({ report }) => report.blocks.includes(2)))
  await until(() => right.every(({ report }) => report.blocks.includes(3)))
  t.same(left[1]?.report.blocks, [1, 2])
  t.same(right[0]?.report.blocks, [1, 3])

  network.heal()
  await areMet(NODES - 1)
  first?.mine(4)
  await all(({ report }) => report.blocks.includes(4))
  await until(() => network.connections === (NODES * (NODES - 1)) / 2)
})
