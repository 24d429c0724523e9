import t from 'tap'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import type { OpenChain } from '../../../src/execution/openChain.ts'
import { createStateChecker } from '../../../src/execution/stateChecker.ts'
import { stateRootAfter } from '../../../src/state/stateRoot.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

interface Line {
  readonly type: string
  readonly rlp: string
}

// The recorded chain changes its best block by fees and by hash.
const blocks = readVectorLines<Line>('consensus/remasc.jsonl')
  .filter((line) => line.type === 'block')
  .slice(0, 150)
  .map((line) => parseBlock(REGTEST, fromHex(line.rlp)))

/** Heights of the chain whose state the table of the newest state does not have. */
function absent({ chain, stateStore }: OpenChain): readonly number[] {
  const heights = Array.from({ length: chain.head.number + 1 }, (_, height) => height)
  return heights.filter((height) => {
    const header = chain.reader.headerByNumber(height)
    return header === null || !stateStore.hasOnLine(stateRootAfter(REGTEST, stateStore, header))
  })
}

for (const group of [1, 40, blocks.length]) {
  t.test(
    `the state after each block of a chain can be read without its trie, ${group} a commit`,
    async (t) => {
      const first = openTestChain(t)
      let retracted = 0
      first.chain.onHead((change) => {
        retracted += change.retracted.length
      })
      for (let start = 0; start < blocks.length; start += group) {
        first.chain.connectAll(blocks.slice(start, start + group))
        t.same(absent(first), [])
      }
      if (group === 1) t.ok(retracted > 0, 'the chain was reorganised')
      createStateChecker(REGTEST, first.stateStore).checkHead()
      // What was in memory alone is lost, as it is when the process is killed.
      await first.close()
      first.stateStore.close()
      const second = openTestChain(t, { dataDir: first.dataDir })
      t.same(absent(second), [])
      const height = second.chain.head.number
      // Back to a block that the table has left, and up again.
      const target = second.chain.reader.headerByNumber(height - 30)
      const newest = second.chain.head
      second.chain.moveHead(target?.hash ?? Buffer.alloc(32))
      t.same(absent(second), [])
      second.chain.moveHead(newest.hash)
      t.same(absent(second), [])
      createStateChecker(REGTEST, second.stateStore).checkHead()
      await second.close()
      second.stateStore.close()
    },
  )
}
