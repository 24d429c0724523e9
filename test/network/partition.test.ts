import t from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import { BlockMaker } from '../support/blockMaker.ts'
import { until } from '../support/peerNode.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { TestNetwork } from './testNetwork.ts'
import { openWholeNode, type WholeNode } from './wholeNode.ts'

const NODES = 4

t.test('whole nodes on both sides of a split end on the heavier chain once it heals', async (t) => {
  const maker = new BlockMaker(t, WEIGHTY)
  const common = maker.extend(maker.genesis, 6)
  const tip = common.at(-1) as Block
  const lighter = maker.extend(tip, 4, { label: 'left' })
  const heavier = maker.extend(tip, 7, { label: 'right' })

  const network = new TestNetwork()
  t.teardown(() => network.close())
  network.set({ delay: 40, jitter: 20, loss: 0.05, rate: 2_000_000 })
  const places = Array.from({ length: NODES }, () => network.place())
  const nodes: WholeNode[] = []
  for (const place of places) {
    const others = nodes.map(({ place: { id, port } }, at) => ({
      id,
      port,
      address: places[at]?.open as string,
    }))
    const node = await openWholeNode(t, WEIGHTY, place.address, others)
    await network.connect(place, node.place.port)
    nodes.push(node)
  }
  const half = NODES / 2
  const met = (others: number) =>
    until(
      () =>
        network.connections === (NODES * others) / 2 &&
        nodes.every(({ node }) => node.network.peers.length === others),
    )
  const reach = (some: readonly WholeNode[], block: Block | undefined) =>
    until(() => block !== undefined && some.every((node) => node.isAt(block)))
  const [first] = nodes as [WholeNode]
  const last = nodes.at(-1) as WholeNode

  await met(NODES - 1)
  for (const block of common) first.open.chain.connect(block)
  await reach(nodes, tip)

  network.split(places.slice(0, half), places.slice(half))
  await met(half - 1)
  for (const block of lighter) first.open.chain.connect(block)
  for (const block of heavier) last.open.chain.connect(block)
  await reach(nodes.slice(0, half), lighter.at(-1))
  await reach(nodes.slice(half), heavier.at(-1))

  network.heal()
  await reach(nodes, heavier.at(-1))
  for (const { node } of nodes) {
    t.same(
      nodes.map(({ place }) => node.reputation.refusesNode(place.id)),
      nodes.map(() => false),
      'nobody is punished',
    )
  }
})
