import t from 'tap'
import { ChainEnvironment } from '../../../src/storage/environment.ts'
import type { PooledTransaction } from '../../../src/txpool/interface.ts'
import { PoolJournal } from '../../../src/txpool/poolJournal.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

function pooled(nonce: bigint, addedAt: number): PooledTransaction {
  return {
    transaction: signedTransaction({ nonce }),
    sender: COW.address,
    senderHex: COW.address.toString('hex'),
    basicCost: 21_000n,
    addedAt,
    addedAtBlock: 7,
  }
}

t.test('what was written is read by the next life, in the order of arrival', async (t) => {
  const path = t.testdir()
  const environment = new ChainEnvironment(path)
  const journal = new PoolJournal(environment)
  const [early, late, gone] = [pooled(1n, 1000), pooled(0n, 2000), pooled(2n, 500)]
  for (const entry of [late, early, gone]) journal.keep(entry)
  t.same(journal.load(), [], 'nothing is there before it is written')
  journal.write()
  journal.remove(gone.transaction)
  journal.write()
  await environment.flushed()
  await environment.close()
  const reopened = new ChainEnvironment(path)
  t.teardown(() => reopened.close())
  const facts = new PoolJournal(reopened)
    .load()
    .map(({ transaction, sender, addedAt, addedAtBlock }) => [
      transaction.hashHex,
      sender.toString('hex'),
      addedAt,
      addedAtBlock,
    ])
  t.same(
    facts,
    [early, late].map(({ transaction, senderHex, addedAt, addedAtBlock }) => [
      transaction.hashHex,
      senderHex,
      addedAt,
      addedAtBlock,
    ]),
  )
})

t.test('what came and went between two writes is never written', async (t) => {
  const environment = new ChainEnvironment(t.testdir())
  t.teardown(() => environment.close())
  const journal = new PoolJournal(environment)
  const entry = pooled(0n, 1000)
  journal.keep(entry)
  journal.remove(entry.transaction)
  journal.write()
  t.equal(environment.count('poolJournal'), 0)
  journal.keep(entry)
  journal.write()
  journal.remove(entry.transaction)
  journal.keep(entry)
  journal.write()
  t.equal(environment.count('poolJournal'), 1, 'back again before its removal was written')
})
