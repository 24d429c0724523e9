import fc from 'fast-check'
import t from 'tap'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'
import { LogSubscriptions } from '../../../src/native/logSubscriptions.ts'
import { type GeneratedBlock, generatedBlock } from '../../support/generatedBlocks.ts'
import { LogCursor } from '../../support/oracle/logCursor.ts'
import { LogMatcher } from '../../support/oracle/logMatcher.ts'
import { LogSubscribers } from '../../support/oracle/logSubscribers.ts'
import { LogText } from '../../support/oracle/logText.ts'
import { TransactionHashes } from '../../support/oracle/transactionHashes.ts'

interface Criteria {
  readonly addresses: readonly Buffer[]
  readonly topics: readonly (readonly Buffer[])[]
}

const small = fc.integer({ min: 1, max: 12 })
const criteria: fc.Arbitrary<Criteria> = fc
  .record({
    addresses: fc.uniqueArray(small, { maxLength: 10 }),
    topics: fc.array(fc.uniqueArray(small, { maxLength: 10 }), { maxLength: 5 }),
  })
  .map(({ addresses, topics }) => ({
    addresses: addresses.map((value) => Buffer.alloc(20, value)),
    topics: topics.map((alternatives) => alternatives.map((value) => Buffer.alloc(32, value))),
  }))

interface Found {
  readonly text: string
  readonly ids: readonly number[]
}

/** The same by asking every subscriber, and by the index of them in TypeScript. */
function expectedLogs(
  { block, receipts }: GeneratedBlock,
  wanted: ReadonlyMap<number, Criteria>,
  removed: boolean,
): Found[] {
  const oracle = new LogSubscribers<number>()
  for (const [id, own] of wanted) oracle.add(id, own)
  const transactionHashes = new TransactionHashes(block.encodedBody)
  const writer = new LogText({ number: block.number, hash: block.hash, transactionHashes }, removed)
  const log = new LogCursor(receipts)
  const found: Found[] = []
  while (log.next()) {
    const ids: number[] = []
    oracle.forEachMatch(log, (id) => ids.push(id))
    const asked = [...wanted].filter(([, own]) => new LogMatcher(own).matches(log)).map(([id]) => id)
    if (JSON.stringify([...ids].sort((a, b) => a - b)) !== JSON.stringify(asked))
      throw new Error('oracles differ')
    if (ids.length > 0) found.push({ text: writer.write(log), ids })
  }
  return found
}

t.test('finds the logs that subscribers take, kept as text or not, also after some left', async () => {
  fc.assert(
    fc.property(
      generatedBlock,
      fc.array(criteria, { maxLength: 30 }),
      fc.array(fc.nat(29), { maxLength: 10 }),
      fc.boolean(),
      (generated, subscribers, leaving, removed) => {
        const objects = EncodedObjectCache.inMemory(1024 * 1024)
        const subscriptions = new LogSubscriptions(objects)
        const wanted = new Map<number, Criteria>()
        subscribers.forEach((own, id) => {
          subscriptions.add(id, own)
          wanted.set(id, own)
        })
        for (const id of leaving) {
          subscriptions.remove(id)
          wanted.delete(id)
        }
        const { block, receipts } = generated
        const body = block.encodedBody
        const find = (stored: () => { receipts: Buffer; body: Buffer } | null): Found[] =>
          [...subscriptions.find(block, removed, stored)].map(({ text, ids }) => ({
            text: text.toString(),
            ids,
          }))
        const expected = JSON.stringify(expectedLogs(generated, wanted, removed))
        if (find(() => null).length > 0) return false
        if (JSON.stringify(find(() => ({ receipts, body }))) !== expected) return false
        objects.writeLogs(block, { receipts, body })
        const unread = () => {
          throw new Error('its logs are kept')
        }
        return JSON.stringify(find(unread)) === expected
      },
    ),
    { numRuns: 300 },
  )
})

t.test('an id stands for the last criteria that it was added with', async (t) => {
  const [generated] = fc.sample(
    generatedBlock.filter(({ receipts }) => new LogCursor(receipts).next()),
    1,
  ) as [GeneratedBlock]
  const { block, receipts } = generated
  const subscriptions = new LogSubscriptions(EncodedObjectCache.inMemory(1024 * 1024))
  const find = () => [...subscriptions.find(block, false, () => ({ receipts, body: block.encodedBody }))]
  const id = 2 ** 48 - 1
  subscriptions.add(id, { addresses: [], topics: [] })
  t.same(find()[0]?.ids, [id])
  subscriptions.add(id, { addresses: [Buffer.alloc(20, 99)], topics: [] })
  t.same(find(), [])
  subscriptions.remove(id)
  subscriptions.remove(id)
  t.same(find(), [])
})

t.test('logs times subscribers beyond a mebibyte come in parts, each log once and in its order', (t) => {
  const objects = EncodedObjectCache.inMemory(16 * 1024 * 1024)
  const subscriptions = new LogSubscriptions(objects)
  const anything: Criteria = { addresses: [], topics: [] }
  const [generated] = fc
    .sample(generatedBlock, { numRuns: 200, seed: 7 })
    .map((each) => ({ each, count: countLogs(each) }))
    .sort((a, b) => b.count - a.count)
    .map(({ each }) => each)
  if (generated === undefined) throw new Error('no block')
  const count = countLogs(generated)
  // Two parts at least: the identifiers alone are longer than one.
  const subscribers = Math.ceil((2 * 1024 * 1024) / 8 / count)
  for (let id = 0; id < subscribers; id += 1) subscriptions.add(id, anything)
  const { block, receipts } = generated
  const stored = { receipts, body: block.encodedBody }
  const expected = expectedLogs(generated, new Map([[0, anything]]), false).map(({ text }) => text)
  for (const isKept of [false, true]) {
    if (isKept) objects.writeLogs(block, stored)
    const found = [...subscriptions.find(block, false, () => stored)]
    t.same(
      found.map(({ text }) => text.toString()),
      expected,
    )
    t.ok(found.every(({ ids }) => ids.length === subscribers))
  }
  t.ok(count > 2)
  t.end()
})

function countLogs({ receipts }: GeneratedBlock): number {
  const log = new LogCursor(receipts)
  let count = 0
  while (log.next()) count += 1
  return count
}
