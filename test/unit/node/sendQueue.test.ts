import t from 'tap'
import { SendQueue } from '../../../src/node/sendQueue.ts'
import { PoolRefusal } from '../../../src/txpool/errors.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

function createQueue() {
  const events: string[] = []
  const commits: (() => void)[] = []
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
        commits.push(resolve)
      })
      events.push('committed')
    },
  })
  const committing = async () => {
    while (commits.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const finishCommits = async (count: number) => {
    for (let done = 0; done < count; done++) {
      await committing()
      commits.shift()?.()
    }
  }
  return {
    events,
    queue,
    finishCommits,
    finishCommit: () => finishCommits(1),
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
  await queue.drained()
  t.same(events, ['add 0 true', 'add 7 true', 'commit', 'committed', '0 accepted', '7 refused'])
})

t.test('a group enters the pool while the one before is made durable, a third waits', async (t) => {
  const { queue, events, submit, finishCommits } = createQueue()
  const turns = () => new Promise((resolve) => setTimeout(resolve, 20))
  const reached = async (count: number) => {
    while (events.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const first = submit(1n)
  await reached(2)
  const second = submit(2n)
  await reached(4)
  t.same(events, ['add 1 true', 'commit', 'add 2 true', 'commit'])
  const others = [submit(3n), submit(4n)]
  await turns()
  t.same(events.slice(4), [], 'others wait for the next group')
  await finishCommits(1)
  await first
  await reached(9)
  t.same(events.slice(4), ['committed', '1 accepted', 'add 3 true', 'add 4 true', 'commit'])
  await finishCommits(1)
  await second
  await finishCommits(1)
  await Promise.all(others)
  await queue.drained()
  t.same(events.slice(9), ['committed', '2 accepted', 'committed', '3 accepted', '4 accepted'])
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
