import t from 'tap'
import { SendQueue } from '../../../src/node/sendQueue.ts'
import { PoolRefusal } from '../../../src/txpool/errors.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

function createQueue() {
  const events: string[] = []
  let finishCommit: () => void = () => undefined
  const queue = new SendQueue({
    chainId: 33,
    add: ({ transaction, sender }) => {
      events.push(`add ${transaction.nonce} ${sender.equals(COW.address)}`)
      if (transaction.nonce === 7n) throw new PoolRefusal('NONCE_TOO_HIGH', 'transaction nonce too high')
      return { pending: [], removed: [] }
    },
    commit: async () => {
      events.push('commit')
      await new Promise<void>((resolve) => {
        finishCommit = resolve
      })
      events.push('committed')
    },
  })
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
  return {
    events,
    queue,
    finishCommit: async () => {
      await turn()
      finishCommit()
      await turn()
    },
    submit: (nonce: bigint) => {
      const answered = queue.submit(signedTransaction({ nonce }).encoded)
      void answered.then(
        ({ status }) => events.push(`${nonce} ${status}`),
        () => events.push(`${nonce} failed`),
      )
      return answered
    },
  }
}

t.test('sends of one moment are one group, answered after its commit', async (t) => {
  const { queue, events, submit, finishCommit } = createQueue()
  const first = [submit(0n), submit(7n)]
  await finishCommit()
  await Promise.all(first)
  t.same(events, ['add 0 true', 'add 7 true', 'commit', 'committed', '0 accepted', '7 refused'])
  events.length = 0
  const running = submit(1n)
  await new Promise((resolve) => setTimeout(resolve, 1))
  const waiting = [submit(2n), submit(3n)]
  t.same(events, ['add 1 true', 'commit'], 'others wait for the next group')
  await finishCommit()
  await running
  await finishCommit()
  await Promise.all(waiting)
  await queue.drained()
  t.same(events.slice(2), [
    'committed',
    '1 accepted',
    'add 2 true',
    'add 3 true',
    'commit',
    'committed',
    '2 accepted',
    '3 accepted',
  ])
})

t.test('a signature for another chain and bytes that are no transaction never reach the pool', async (t) => {
  const { queue, events, finishCommit } = createQueue()
  const foreign = queue.submit(signedTransaction({ chainId: 30 }).encoded)
  const garbage = t.rejects(queue.submit(Buffer.from('c0', 'hex')))
  await finishCommit()
  t.match(await foreign, { status: 'refused' })
  await garbage
  t.same(events, ['commit', 'committed'])
})

t.test('nothing is acknowledged when the commit fails', async (t) => {
  const queue = new SendQueue({
    chainId: 33,
    add: () => ({ pending: [], removed: [] }),
    commit: () => Promise.reject(new Error('no space left on device')),
  })
  await t.rejects(queue.submit(signedTransaction().encoded), { message: 'no space left on device' })
  await t.rejects(queue.submit(signedTransaction().encoded), { message: 'no space left on device' })
})
