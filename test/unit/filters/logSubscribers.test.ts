import fc from 'fast-check'
import t from 'tap'
import { encodeReceipt } from '../../../src/chain/codec/receipt.ts'
import { encodeList } from '../../../src/chain/codec/rlpWriter.ts'
import { LogCursor } from '../../../src/chain/logs/logCursor.ts'
import { LogMatcher } from '../../../src/chain/logs/logMatcher.ts'
import { LogSubscribers } from '../../../src/filters/logSubscribers.ts'
import { testAddress, testLog, testTopic } from '../../support/syntheticChain.ts'

const small = fc.integer({ min: 1, max: 12 })
const criteria = fc
  .record({
    addresses: fc.uniqueArray(small, { maxLength: 10 }),
    topics: fc.array(fc.uniqueArray(small, { maxLength: 10 }), { maxLength: 5 }),
  })
  .map(({ addresses, topics }) => ({
    addresses: addresses.map(testAddress),
    topics: topics.map((alternatives) => alternatives.map(testTopic)),
  }))
const log = fc
  .tuple(small, fc.array(small, { maxLength: 4 }))
  .map(([address, topics]) => testLog(address, topics))

t.test('finds the same subscribers as asking each, also after some left', async () => {
  fc.assert(
    fc.property(
      fc.array(criteria, { maxLength: 30 }),
      fc.array(log, { maxLength: 20 }),
      fc.array(fc.nat(29), { maxLength: 10 }),
      (wanted, logs, leaving) => {
        const subscribers = new LogSubscribers<number>()
        wanted.forEach((own, index) => {
          subscribers.add(index, own)
        })
        for (const index of leaving) subscribers.remove(index)
        const receipt = {
          success: true,
          cumulativeGasUsed: 1n,
          gasUsed: 1n,
          logsBloom: Buffer.alloc(256),
          logs,
        }
        const cursor = new LogCursor(encodeList([encodeReceipt(receipt)]))
        let count = 0
        while (cursor.next()) {
          count += 1
          const found: number[] = []
          subscribers.forEachMatch(cursor, (index) => found.push(index))
          const expected = wanted.flatMap((own, index) =>
            !leaving.includes(index) && new LogMatcher(own).matches(cursor) ? [index] : [],
          )
          if (JSON.stringify(found.sort((a, b) => a - b)) !== JSON.stringify(expected)) return false
        }
        return (
          count === logs.length &&
          subscribers.size === wanted.length - new Set(leaving.filter((index) => index < wanted.length)).size
        )
      },
    ),
    { numRuns: 300 },
  )
})
