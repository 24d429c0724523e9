import t from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'
import { LogSubscriptions } from '../../../src/native/logSubscriptions.ts'
import { writeHeadLogs } from '../../../src/node/chainThread/headLogs.ts'
import { SyntheticChain, testLog } from '../../support/syntheticChain.ts'

t.test('the logs of one new head are kept as text; those of several, and none, are not', async (t) => {
  const chain = new SyntheticChain(t)
  const [first, second, empty, unknown] = chain.append([
    [[testLog(1, [1])], [testLog(2)]],
    [[testLog(3)]],
    [[]],
    [],
  ]) as [Block, Block, Block, Block]
  const texts = EncodedObjectCache.inMemory(1024 * 1024)
  const subscriptions = new LogSubscriptions(texts)
  subscriptions.add(1, { addresses: [], topics: [] })
  const kept = (block: Block) => {
    let reads = 0
    const stored = () => {
      reads += 1
      return null
    }
    const logs = [...subscriptions.find(block, false, stored)].map(
      ({ text }) => JSON.parse(text.toString()).address,
    )
    return reads === 0 ? logs : null
  }
  writeHeadLogs(chain.reader, texts, [])
  writeHeadLogs(chain.reader, texts, [first, second])
  t.equal(kept(first), null)
  writeHeadLogs(chain.reader, texts, [first])
  t.same(kept(first), [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`])
  t.equal(kept(second), null)
  writeHeadLogs(chain.reader, texts, [empty])
  t.equal(kept(empty), null, 'its bloom says that it has none')
  writeHeadLogs(chain.reader, texts, [{ number: unknown.number + 1, hash: Buffer.alloc(32, 9) }])
  t.ok(texts.bytes > 0)
})
