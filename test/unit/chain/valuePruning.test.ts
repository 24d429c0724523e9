import t from 'tap'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { ValuePruning } from '../../../src/chain/valuePruning.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const BLOCKS = 2

const blocks = readVectorLines<{ readonly type: string; readonly rlp: string }>('consensus/remasc.jsonl')
  .filter((line) => line.type === 'block')
  .slice(0, 60)
  .map((line) => parseBlock(REGTEST, fromHex(line.rlp)))

t.test('a shorter chain gives no values up by a block below one that was named before', (t) => {
  const { chain } = openTestChain(t)
  const named: number[] = []
  const pruning = new ValuePruning({
    chain,
    blocks: BLOCKS,
    values: {
      hasValuesAfter: () => true,
      dropValuesBefore({ number }) {
        named.push(number)
        return 0
      },
    },
    onFault: (error) => t.fail(String(error)),
  })
  chain.connectAll(blocks)
  const head = chain.head.number
  const branch = Array.from({ length: head }, (_, index) => chain.reader.blockByNumber(index + 1))
  t.same(named, [head - BLOCKS])
  const to = chain.reader.headerByNumber(head - 5)
  if (to !== null) chain.rewind(to)
  for (const block of branch.slice(head - 5, head - 1)) if (block !== null) chain.connect(block)
  t.equal(chain.head.number, head - 1)
  t.same(named, [head - BLOCKS])
  for (const block of branch.slice(head - 1)) if (block !== null) chain.connect(block)
  t.same(named, [head - BLOCKS, head - BLOCKS])
  pruning.stop()
  t.end()
})
