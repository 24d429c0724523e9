import t from 'tap'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { StatePruning } from '../../../src/chain/statePruning.ts'
import { readHistory, writeHistory } from '../../../src/chain/tables/metadata.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const BLOCKS = 2

const blocks = readVectorLines<{ readonly type: string; readonly rlp: string }>('consensus/remasc.jsonl')
  .filter((line) => line.type === 'block')
  .slice(0, 60)
  .map((line) => parseBlock(REGTEST, fromHex(line.rlp)))

t.test('a shorter chain gives nothing up by a block whose state was given up before', (t) => {
  const { chain, environment } = openTestChain(t)
  chain.connectAll(blocks)
  const head = chain.head.number
  const branch = Array.from({ length: head }, (_, index) => chain.reader.blockByNumber(index + 1))
  const firstState = head - 5
  environment.transaction((writer) => writeHistory(writer, { ...readHistory(writer), firstState }))
  chain.historyChanged()
  const asked: number[] = []
  const pruning = new StatePruning({
    chain,
    environment,
    blocks: BLOCKS,
    states: {
      floorAfter: () => 1,
      prunableAfter({ number }) {
        asked.push(number)
        return null
      },
      dropBefore: () => 0,
    },
    onFault: (error) => t.fail(String(error)),
  })
  const to = chain.reader.headerByNumber(firstState)
  if (to !== null) chain.rewind(to)
  t.equal(chain.head.number, firstState)
  for (const block of branch.slice(firstState)) if (block !== null) chain.connect(block)
  t.equal(chain.head.number, head)
  t.same(asked, [firstState, firstState + 1, firstState + 2, firstState + 3])
  pruning.stop()
  t.end()
})
