import fc from 'fast-check'
import t from 'tap'
import { MemoryAccount, MemoryTotal, type Reclaimable } from '../../../src/gateway/access/memoryAccount.ts'

const KIB = 1024

/** An answer that a client does not read. */
class Unread implements Reclaimable {
  readonly account: MemoryAccount
  held: number

  constructor(account: MemoryAccount, bytes: number) {
    this.account = account
    this.held = bytes
    if (!account.take(bytes)) throw new Error('no room')
    account.total.add(this)
  }

  reclaim(): void {
    this.account.release(this.held)
    this.held = 0
  }
}

t.test('neither the sum of a client nor that of all is ever above its limit, and all comes back', (t) => {
  const step = fc.record({
    client: fc.nat(4),
    bytes: fc.integer({ min: 1, max: 900 * KIB }),
    gives: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const limits = { client: 1024 * KIB, total: 3000 * KIB }
      const total = new MemoryTotal(limits)
      const accounts = Array.from({ length: 5 }, () => new MemoryAccount(total))
      const taken: number[][] = accounts.map(() => [])
      for (const { client, bytes, gives } of steps) {
        const account = accounts[client] as MemoryAccount
        const own = taken[client] as number[]
        const before = account.used
        if (gives) account.release(own.pop() ?? 0)
        else if (account.take(bytes)) own.push(bytes)
        else if (account.used !== before) return false
        const sums = taken.map((list) => list.reduce((sum, one) => sum + one, 0))
        const isRight = accounts.every(({ used }, i) => used === sums[i] && used <= limits.client)
        if (!isRight || total.used > limits.total) return false
        if (total.used !== sums.reduce((sum, one) => sum + one, 0)) return false
      }
      taken.forEach((list, i) => {
        for (const bytes of list) accounts[i]?.release(bytes)
      })
      return total.used === 0 && total.stats().largest === 0
    }),
  )
  t.end()
})

t.test('who finds no room is told which limit it was', (t) => {
  const total = new MemoryTotal({ client: 1000 * KIB, total: 1600 * KIB })
  const [one, other] = [new MemoryAccount(total), new MemoryAccount(total)]
  t.ok(one.take(1000 * KIB))
  t.notOk(one.take(1))
  t.match(one.refusal(1), { kind: 'limited', message: /--client-memory/ })
  t.throws(() => one.draw(1), { message: /--client-memory/ })
  t.notOk(other.take(900 * KIB))
  t.match(other.refusal(900 * KIB), { kind: 'limited', message: /--memory-total/ })
  t.same(total.stats().refused, { client: 2, total: 1 })
  t.end()
})

t.test('with nearly all in use light clients go on', (t) => {
  const total = new MemoryTotal({ client: 0, total: 16 * 1024 * KIB })
  const heavy = new MemoryAccount(total)
  while (heavy.take(512 * KIB));
  t.equal(heavy.used, 14 * 1024 * KIB, 'an eighth is for the others')
  const light = new MemoryAccount(total)
  t.ok(light.take(200 * KIB))
  t.notOk(light.take(100 * KIB), 'it is no light one any more')
  t.end()
})

t.test('the largest client loses what it does not read when another needs room', (t) => {
  const total = new MemoryTotal({ client: 0, total: 8 * 1024 * KIB })
  const [large, middle, asking] = [0, 1, 2].map(() => new MemoryAccount(total)) as [
    MemoryAccount,
    MemoryAccount,
    MemoryAccount,
  ]
  const [small, big] = [new Unread(large, 1024 * KIB), new Unread(large, 3 * 1024 * KIB)]
  const others = new Unread(middle, 2 * 1024 * KIB)
  t.ok(asking.take(1100 * KIB))
  t.same([small.held, big.held, others.held], [1024 * KIB, 0, 2 * 1024 * KIB])
  t.equal(total.stats().reclaimed, 1)
  t.notOk(asking.take(7 * 1024 * KIB), 'nobody has more than it would have')
  t.same([small.held, others.held], [1024 * KIB, 2 * 1024 * KIB])
  t.end()
})
