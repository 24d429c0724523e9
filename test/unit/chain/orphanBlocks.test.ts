import t from 'tap'
import { type Block, Block as BlockClass, parseBlock } from '../../../src/chain/codec/block.ts'
import { OrphanBlocks } from '../../../src/chain/orphanBlocks.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { readVectorLines } from '../../support/vectors.ts'

const [, , first] = readVectorLines<{ rlp?: string }>('rpc/chain-main.jsonl')
const template = parseBlock(networkByName('regtest'), fromHex(first?.rlp ?? '0x'))

function child(parent: number, extra: number): Block {
  const header = template.header.with({
    parentHash: Buffer.alloc(32, parent),
    extraData: Buffer.from([extra >> 8, extra & 0xff]),
  })
  return new BlockClass(header, template.transactions, [])
}

t.test('children are taken once, in the order in which they came', (t) => {
  const orphans = new OrphanBlocks()
  const [a, b, other] = [child(1, 1), child(1, 2), child(2, 3)]
  for (const block of [b, a, other, a]) orphans.add(block)
  t.equal(orphans.size, 3)
  t.ok(orphans.has(a.hashHex))
  t.same(
    orphans.takeChildren('01'.repeat(32)).map((block) => block.hashHex),
    [b.hashHex, a.hashHex],
  )
  t.same(orphans.takeChildren('01'.repeat(32)), [])
  t.equal(orphans.size, 1)
  t.end()
})

t.test('the oldest leave when there is no room', (t) => {
  const orphans = new OrphanBlocks()
  const blocks = Array.from({ length: 300 }, (_, index) => child(1, index))
  for (const block of blocks) orphans.add(block)
  t.equal(orphans.size, 256)
  t.notOk(orphans.has(blocks[0]?.hashHex ?? ''))
  t.ok(orphans.has(blocks.at(-1)?.hashHex ?? ''))
  t.equal(orphans.takeChildren('01'.repeat(32)).length, 256)
  t.end()
})
