import { readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Transaction } from '../../../src/chain/codec/transaction.ts'
import { RecordLog } from '../../../src/storage/recordLog.ts'
import type { PooledTransaction } from '../../../src/txpool/interface.ts'
import { PoolJournal } from '../../../src/txpool/poolJournal.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

function pooled(nonce: bigint, addedAt: number): PooledTransaction {
  return {
    transaction: signedTransaction({ nonce }),
    sender: COW.address,
    senderHex: COW.address.toString('hex'),
    basicCost: 21_000n,
    maximumCost: 0n,
    addedAt,
    addedAtBlock: 7,
  }
}

const metadata = (journal: PoolJournal) =>
  journal
    .load()
    .map(({ transaction, sender, addedAt, addedAtBlock }) => [
      transaction.hashHex,
      sender.toString('hex'),
      addedAt,
      addedAtBlock,
    ])

const factsOf = (entries: readonly PooledTransaction[]) =>
  entries.map(({ transaction, senderHex, addedAt, addedAtBlock }) => [
    transaction.hashHex,
    senderHex,
    addedAt,
    addedAtBlock,
  ])

t.test('what was written is read by the next life, in the order of arrival', async (t) => {
  const path = join(t.testdir(), 'journal')
  const journal = new PoolJournal(path)
  const [early, late, gone] = [pooled(1n, 1000), pooled(0n, 2000), pooled(2n, 500)]
  for (const entry of [late, early, gone]) journal.keep(entry)
  t.same(journal.load(), [], 'nothing is there before it is written')
  await journal.flush()
  journal.remove(gone.transaction)
  await journal.flush()
  await journal.close()
  const reopened = new PoolJournal(path)
  t.teardown(() => reopened.close())
  t.same(metadata(reopened), factsOf([early, late]))
})

t.test('what no key signed is not read again, nor counted', async (t) => {
  const path = join(t.testdir(), 'journal')
  const journal = new PoolJournal(path)
  const signed = pooled(0n, 1000)
  const { fields } = signed.transaction
  // No key signs with such an r.
  const signature = { v: 27, r: 2n ** 256n - 1n, s: 1n }
  journal.keep({ ...signed, transaction: new Transaction({ ...fields, signature }) })
  journal.keep(signed)
  await journal.flush()
  await journal.close()
  const reopened = new PoolJournal(path)
  t.teardown(() => reopened.close())
  t.same(metadata(reopened), factsOf([signed]))
  t.equal(reopened.size, 1)
})

t.test('what came and went between two writes is never written', async (t) => {
  const path = join(t.testdir(), 'journal')
  const journal = new PoolJournal(path)
  t.teardown(() => journal.close())
  const empty = statSync(path).size
  const entry = pooled(0n, 1000)
  journal.keep(entry)
  journal.remove(entry.transaction)
  await journal.flush()
  t.equal(statSync(path).size, empty)
  journal.keep(entry)
  await journal.flush()
  journal.remove(entry.transaction)
  journal.keep(entry)
  await journal.flush()
  t.equal(journal.size, 1, 'back again before its removal was written')
})

t.test('a removal while the transaction is being written holds', async (t) => {
  const path = join(t.testdir(), 'journal')
  const journal = new PoolJournal(path)
  const entry = pooled(0n, 1000)
  journal.keep(entry)
  const written = journal.flush()
  await Promise.resolve()
  journal.remove(entry.transaction)
  await written
  await journal.flush()
  await journal.close()
  const reopened = new PoolJournal(path)
  t.teardown(() => reopened.close())
  t.equal(reopened.size, 0)
})

t.test('a record that was cut off is left out, and the next takes its place', async (t) => {
  const path = join(t.testdir(), 'journal')
  const [first, second, third] = [pooled(0n, 1000), pooled(1n, 2000), pooled(2n, 3000)]
  const journal = new PoolJournal(path)
  for (const entry of [first, second]) journal.keep(entry)
  await journal.flush()
  await journal.close()
  truncateSync(path, readFileSync(path).length - 1)
  const cut = new PoolJournal(path)
  t.same(metadata(cut), factsOf([first]))
  cut.keep(third)
  await cut.flush()
  await cut.close()
  const reopened = new PoolJournal(path)
  t.teardown(() => reopened.close())
  t.same(metadata(reopened), factsOf([first, third]))
})

t.test('the file is written anew when most of it is of transactions that are gone', async (t) => {
  const path = join(t.testdir(), 'journal')
  const journal = new PoolJournal(path, { leastRewritten: 1000 })
  const kept = pooled(0n, 1000)
  journal.keep(kept)
  let largest = 0
  for (let nonce = 1n; nonce < 40n; nonce++) {
    const passing = pooled(nonce, 2000)
    journal.keep(passing)
    await journal.flush()
    journal.remove(passing.transaction)
    await journal.flush()
    largest = Math.max(largest, statSync(path).size)
  }
  t.ok(largest < 1500, `${largest} bytes`)
  await journal.close()
  const reopened = new PoolJournal(path)
  t.teardown(() => reopened.close())
  t.same(metadata(reopened), factsOf([kept]))
})

t.test('what could not be written is written by the next flush', async (t) => {
  const path = join(t.testdir(), 'journal')
  const journal = new PoolJournal(path)
  const [first, second, gone] = [pooled(0n, 1000), pooled(1n, 2000), pooled(2n, 3000)]
  const { append } = RecordLog.prototype
  RecordLog.prototype.append = () => Promise.reject(new Error('no space left on device'))
  t.teardown(() => {
    RecordLog.prototype.append = append
  })
  for (const entry of [first, gone]) journal.keep(entry)
  const failed = journal.flush()
  await Promise.resolve()
  journal.remove(gone.transaction)
  await t.rejects(failed, { message: 'no space left on device' })
  t.equal(journal.size, 0)
  RecordLog.prototype.append = append
  journal.keep(second)
  await journal.flush()
  await journal.close()
  const reopened = new PoolJournal(path)
  t.teardown(() => reopened.close())
  t.same(metadata(reopened), factsOf([first, second]))
})
