import t from 'tap'
import { SendQueue } from '../../../src/node/chainThread/sendQueue.ts'
import { PoolRefusal } from '../../../src/txpool/errors.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'

function createQueue({ makesBlocks = false } = {}) {
  const events: string[] = []
  const commits: (() => void)[] = []
  const queue = new SendQueue({
    chainId: 33,
    share: () => null,
    makesBlocks: () => makesBlocks,
    add: ({ transaction, sender }) => {
      events.push(`add ${transaction.nonce} ${sender.equals(COW.address)}`)
      if (transaction.nonce === 7n)
        throw new PoolRefusal('NONCE_TOO_HIGH', 'transaction nonce too high', { highest: 6n })
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
  const finishCommit = async () => {
    await committing()
    commits.shift()?.()
  }
  return {
    events,
    queue,
    finishCommit,
    finishUntil: async (answered: Promise<unknown>) => {
      const timer = setInterval(() => commits.shift()?.(), 1)
      await answered.finally(() => clearInterval(timer))
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
  const [, refused] = await Promise.all(first)
  t.same(refused, { status: 'refused', reason: 'transaction nonce too high', stats: { highest: 6n } })
  await queue.drained()
  t.same(events, ['add 0 true', 'add 7 true', 'commit', 'committed', '0 accepted', '7 refused'])
})

t.test('groups enter the pool while one is made durable, the next commit is for all of them', async (t) => {
  const { queue, events, submit, finishCommit } = createQueue()
  const reached = async (count: number) => {
    while (events.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const first = submit(1n)
  await reached(2)
  const second = submit(2n)
  await reached(3)
  const others = [submit(3n), submit(4n)]
  await reached(5)
  t.same(events, ['add 1 true', 'commit', 'add 2 true', 'add 3 true', 'add 4 true'])
  await finishCommit()
  await first
  await reached(8)
  t.same(events.slice(5), ['committed', '1 accepted', 'commit'])
  await finishCommit()
  await Promise.all([second, ...others])
  await queue.drained()
  t.same(events.slice(8), ['committed', '2 accepted', '3 accepted', '4 accepted'])
})

for (const { makesBlocks, first } of [
  { makesBlocks: false, first: 32 },
  { makesBlocks: true, first: 100 },
]) {
  t.test(`the first commit is for ${first} of a hundred`, async (t) => {
    const { queue, events, submit, finishUntil } = createQueue({ makesBlocks })
    const all = Array.from({ length: 100 }, (_, nonce) => submit(BigInt(nonce)))
    await finishUntil(Promise.all(all))
    await queue.drained()
    t.equal(events.indexOf('commit'), first)
  })
}

t.test('while nothing becomes durable, the pool takes a bounded number', async (t) => {
  const { queue, events, submit, finishUntil } = createQueue()
  const added = () => events.filter((event) => event.startsWith('add')).length
  const all = Array.from({ length: 600 }, (_, nonce) => submit(BigInt(nonce)))
  while (added() < 512) await new Promise((resolve) => setTimeout(resolve, 1))
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(added(), 512)
  await finishUntil(Promise.all(all))
  await queue.drained()
  const refused = new Set([7])
  const status = (nonce: number) => `${nonce} ${refused.has(nonce) ? 'refused' : 'accepted'}`
  const answers = events.filter((event) => /accepted|refused/.test(event))
  t.same(
    answers,
    Array.from(all, (_, nonce) => status(nonce)),
    'answered in the order in which they came',
  )
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
    share: () => null,
    makesBlocks: () => false,
    add: () => ({ pending: [], removed: [] }),
    commit: () => Promise.reject(new Error('no space left on device')),
  })
  await t.rejects(queue.submit(signedTransaction().encoded), { message: 'no space left on device' })
  await t.rejects(queue.submit(signedTransaction().encoded), { message: 'no space left on device' })
})
