import t from 'tap'
import { createTable } from '../bridge/chains/tables.ts'
import { openLocalNode } from '../support/localNode.ts'
import { createRandom } from '../support/random.ts'
import { testFolder } from '../support/testFolder.ts'

t.test('a development chain under the order of the main network begins with the older proofs', async (t) => {
  const { heights } = createTable('main', 2000, createRandom(1))
  t.ok(heights.rskip92 > 3, 'partial Merkle trees are asked for')
  const node = openLocalNode(t, { dataDir: testFolder(t) }, { chain: { activationHeights: heights } })
  await node.core.mine({ count: 3 })
  t.equal(node.core.open.chain.head.number, 3)
})
