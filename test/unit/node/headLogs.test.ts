import t from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'
import { LogSubscriptions } from '../../../src/native/logSubscriptions.ts'
import { writeHeadLogs, writeHeadReceipts } from '../../../src/node/chainThread/headLogs.ts'
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
    const missing = () => {
      reads += 1
      return null
    }
    const logs = [...subscriptions.find(block, false, missing)].map(
      ({ text }) => JSON.parse(text.toString()).address,
    )
    return reads === 0 ? logs : null
  }
  const stored = { head: first.header, reader: chain.reader }
  writeHeadLogs(stored, texts, [])
  writeHeadLogs(stored, texts, [first, second])
  t.equal(kept(first), null)
  writeHeadLogs(stored, texts, [first])
  t.same(kept(first), [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`])
  t.equal(kept(second), null)
  writeHeadLogs(stored, texts, [empty])
  t.equal(kept(empty), null, 'its bloom says that it has none')
  writeHeadLogs(stored, texts, [{ number: unknown.number + 1, hash: Buffer.alloc(32, 9) }])
  t.ok(texts.bytes > 0)
})

t.test('receipts of a head with a few transactions of users are kept as text', async (t) => {
  const chain = new SyntheticChain(t)
  const [few, many] = chain.append([
    [[testLog(1)], []],
    [[], [], [], [], []],
  ]) as [Block, Block]
  const texts = EncodedObjectCache.inMemory(1024 * 1024)
  const reader = { reader: chain.reader, blockByHash: (hash: Buffer) => chain.reader.blockByHash(hash) }
  const kept = (block: Block) =>
    block.transactions.map(({ hash }) => {
      const text = texts.text('receipt', hash, block.hash)
      return text === null ? null : JSON.parse(text.toString())
    })
  writeHeadReceipts(reader, texts, [few, many])
  writeHeadReceipts(reader, texts, [{ number: 9, hash: Buffer.alloc(32, 9) }])
  t.same(kept(few), [null, null], 'nothing of several blocks at once, nor of one that is not there')
  writeHeadReceipts(reader, texts, [few])
  writeHeadReceipts(reader, texts, [many])
  const receipts = kept(few)
  t.same(
    receipts.map(({ transactionHash, logs }) => [transactionHash, logs.length]),
    few.transactions.map(({ hash }, index) => [`0x${hash.toString('hex')}`, index === 0 ? 1 : 0]),
  )
  t.ok(
    kept(many).every((receipt) => receipt === null),
    'too many to be waited for',
  )
})
