import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ReceivedCosts } from '../../../src/fleet/access/receivedCosts.ts'
import { AccessStore } from '../../../src/storage/access/accessStore.ts'
import { type DayUsage, type MethodUsage, maxUsage } from '../../../src/storage/access/usageRecord.ts'
import { createRandom } from '../../support/random.ts'

const DAY = 20_000
const ada = 'aaaaaaaaaaaaaaaa'
const bob = 'bbbbbbbbbbbbbbbb'

function usage(id: string, count: number, method = 'eth_call'): DayUsage {
  const methods = new Map([[method, { count, cost: 2 * count, bytes: 3, errors: 0, refused: 1 }]])
  return { id, day: DAY, methods }
}

function countOf(store: AccessStore, id = 'k'): number {
  const methods = store.usage(id, DAY, DAY).flatMap((row) => [...row.methods.values()])
  return methods.reduce((sum, { count }) => sum + count, 0)
}

t.test('a process goes on with the life of its store, or begins one; nothing is in two', async (t) => {
  const dataDir = t.testdir()
  let store = AccessStore.open({ dataDir })
  await store.addUsage([usage('k', 1), usage('o', 5)])
  t.equal(store.ownCost('k', DAY), 2, 'alone it needs no life')
  await store.close()

  store = AccessStore.open({ dataDir, fleet: true })
  const { stored, own } = store.lives.join(ada)
  t.not(stored, own)
  await store.addUsage([usage('k', 2)])
  t.equal(store.ownCost('k', DAY), 4)
  t.equal(countOf(store), 3)
  await store.lives.resume([], [])
  t.match(store.lives.lives, { stored, own: stored })
  t.equal(countOf(store), 3)
  t.equal(store.ownCost('k', DAY), 6, 'what was counted meanwhile is a part of it')
  t.same(store.lives.others(0), [])
  await store.addUsage([usage('k', 1, 'eth_getLogs')])
  t.equal(countOf(store), 4)
  t.same(store.usedIds(), ['k', 'o'])
  await store.close()

  store = AccessStore.open({ dataDir, fleet: true })
  t.equal(store.lives.join(ada).stored, stored, 'the same after a restart')
  const known = [usage('k', 7), usage('k', 3, 'eth_getLogs')]
  await store.addUsage([usage('k', 1)])
  await store.lives.resume(known, [['k', DAY, 50]])
  t.equal(countOf(store), 11, 'the larger value of each method, and one more')
  t.equal(store.ownCost('k', DAY), 50 + 2, 'costs that others were told count, whatever the method was')
  await store.close()
})

t.test('a store of another member is a copy: its rows stay with the life that they are of', async (t) => {
  const dataDir = t.testdir()
  const store = AccessStore.open({ dataDir, fleet: true })
  t.teardown(() => store.close())
  const first = store.lives.join(ada)
  await store.lives.resume([], [])
  await store.addUsage([usage('k', 4)])
  const second = store.lives.join(bob)
  t.not(second.stored, first.stored)
  t.same(
    store.lives.others(0).map(([life, { id }]) => [life, id]),
    [[first.stored, 'k']],
  )
  await store.addUsage([usage('k', 1)])
  await store.lives.resume([], [])
  t.equal(countOf(store), 5)
  t.equal(store.ownCost('k', DAY), 2)
  t.same(store.lives.rows(first.stored, 0)[0], usage('k', 4))
})

t.test('a process whose life another one has takes along what nobody knows', async (t) => {
  const dataDir = t.testdir()
  const store = AccessStore.open({ dataDir, fleet: true })
  t.teardown(() => store.close())
  const { stored } = store.lives.join(ada)
  await store.lives.resume([], [])
  await store.addUsage([usage('k', 10), usage('k', 1, 'eth_getLogs'), usage('o', 3)])
  await store.lives.leave([usage('k', 6), { id: 'o', day: DAY, methods: new Map() }])
  const { own } = store.lives.lives
  t.not(own, stored)
  t.equal(countOf(store), 11)
  t.match(store.lives.row(own, { id: 'k', day: DAY }).get('eth_call'), { count: 4 })
  t.match(store.lives.row(stored, { id: 'k', day: DAY }).get('eth_call'), { count: 6 })
  t.match(store.lives.row(own, { id: 'o', day: DAY }).get('eth_call'), { count: 3 })
  await store.lives.raise(stored, [usage('k', 9)])
  t.equal(countOf(store), 14, 'what the other one counted is added')
})

t.test('old rows go, of all lives', async (t) => {
  const store = AccessStore.open({ dataDir: t.testdir(), fleet: true })
  t.teardown(() => store.close())
  store.lives.join(ada)
  await store.lives.raise('1111111111111111', [usage('k', 1), { ...usage('k', 1), day: DAY - 9 }])
  await store.addUsage([{ ...usage('k', 1), day: DAY - 8 }])
  t.equal(await store.pruneUsage(DAY - 3), 2)
  t.equal(countOf(store), 1)
  t.equal(store.usage('k', 0, DAY - 1).length, 0)
})

t.test('sums of what was heard do not depend on the order', (t) => {
  const random = createRandom(7)
  for (let round = 0; round < 50; round += 1) {
    const heard = Array.from({ length: 30 }, () => ({
      life: String(Math.floor(random() * 4)),
      cost: Math.floor(random() * 100),
    }))
    const sum = [0, 1, 2, 3].reduce((total, life) => {
      const costs = heard.filter((one) => one.life === String(life)).map(({ cost }) => cost)
      return total + Math.max(0, ...costs)
    }, 0)
    const costs = new ReceivedCosts()
    let last = 0
    for (const { life, cost } of heard.sort(() => random() - 0.5))
      last = costs.raise(life, ['k', DAY, cost]) ?? last
    t.equal(last, sum)
    t.equal(costs.raise('0', ['k', DAY, 0]), null)
  }
  t.end()
})

/** A bucket of counters, and what becomes of it: the larger value of each figure. */
class Bucket {
  readonly lives = new Map<string, Map<string, DayUsage>>()

  put(life: string, rows: readonly DayUsage[]): void {
    const known = this.lives.get(life) ?? new Map<string, DayUsage>()
    this.lives.set(life, known)
    for (const row of rows) {
      const methods = new Map<string, MethodUsage>(known.get(row.id)?.methods)
      for (const [method, one] of row.methods) methods.set(method, maxUsage(methods.get(method), one))
      known.set(row.id, { ...row, methods })
    }
  }

  rows(life: string): DayUsage[] {
    return [...(this.lives.get(life)?.values() ?? [])]
  }
}

t.test('restarts, cuts, older copies, copied directories: every sum is what was counted', async (t) => {
  const random = createRandom(Number(process.env['SEED'] ?? 5))
  const below = (most: number) => Math.floor(random() * most)
  const folder = t.testdir()
  const bucket = new Bucket()
  const counted = new Map([
    ['k', 0],
    ['o', 0],
  ])
  interface Member {
    readonly dataDir: string
    id: string
    store: AccessStore
    /** Whether its life is decided: only then others hear of it. */
    isDecided: boolean
  }
  const members: Member[] = []
  const idOf = (number: number) => number.toString(16).padStart(16, '0')
  const open = (dataDir: string, id: string): Member => {
    const store = AccessStore.open({ dataDir, fleet: true })
    store.lives.join(id)
    return { dataDir, id, store, isDecided: false }
  }
  const begin = async (member: Member) => {
    member.store = AccessStore.open({ dataDir: member.dataDir, fleet: true })
    member.store.lives.join(member.id)
    member.isDecided = false
  }
  /** NATS is reached: rows of the life come from the bucket, unless that cannot be asked. */
  const decide = async (member: Member) => {
    if (member.isDecided) return
    const { stored } = member.store.lives.lives
    if (below(4) > 0) await member.store.lives.resume(bucket.rows(stored), [])
    else await member.store.lives.raise(stored, bucket.rows(stored))
    member.isDecided = true
  }
  const tell = (member: Member) => {
    const { own, stored, past } = member.store.lives.lives
    if (member.isDecided)
      for (const life of [own, stored, ...past]) bucket.put(life, member.store.lives.rows(life, 0))
  }
  const hear = async (member: Member) => {
    for (const [life, rows] of bucket.lives)
      if (life !== member.store.lives.lives.own) await member.store.lives.raise(life, [...rows.values()])
  }
  for (let number = 0; number < 3; number += 1)
    members.push(open(join(folder, `m${number}`), idOf(number + 1)))
  t.teardown(() => Promise.all(members.map(({ store }) => store.close())))
  for (let step = 0; step < 150; step += 1) {
    const member = members[below(members.length)] as Member
    const kind = below(12)
    if (kind < 5) {
      const id = below(2) === 0 ? 'k' : 'o'
      const times = 1 + below(5)
      await member.store.addUsage([usage(id, times)])
      counted.set(id, (counted.get(id) ?? 0) + times)
    } else if (kind === 5) await decide(member)
    else if (kind === 6) tell(member)
    else if (kind === 7 && member.isDecided) await hear(member)
    else if (kind === 8) {
      await member.store.close()
      await begin(member)
    } else if (kind === 9) {
      // An older copy of its store is put back, after all that it counted was told.
      const copy = join(folder, 'copy')
      await member.store.close()
      rmSync(copy, { recursive: true, force: true })
      cpSync(join(member.dataDir, 'access'), copy, { recursive: true })
      await begin(member)
      await member.store.addUsage([usage('k', 2)])
      counted.set('k', (counted.get('k') ?? 0) + 2)
      await decide(member)
      tell(member)
      await member.store.close()
      rmSync(join(member.dataDir, 'access'), { recursive: true })
      cpSync(copy, join(member.dataDir, 'access'), { recursive: true })
      await begin(member)
    } else if (kind === 10 && members.length < 6) {
      // A copied directory joins with an id of its own; what was not told yet is in both.
      await decide(member)
      tell(member)
      await member.store.close()
      const dataDir = join(folder, `m${members.length}`)
      cpSync(member.dataDir, dataDir, { recursive: true })
      await begin(member)
      members.push(open(dataDir, idOf(members.length + 1)))
    }
  }
  for (const member of members) await decide(member)
  for (const member of members) tell(member)
  for (const member of members) await hear(member)
  for (const [id, count] of counted)
    for (const [number, { store }] of members.entries())
      t.equal(countOf(store, id), count, `${id} at ${number}`)
})

t.test('what is told of others is bounded, whoever tells it', async (t) => {
  const costs = new ReceivedCosts()
  const life = (number: number) => number.toString(16).padStart(16, '0')
  for (let number = 0; number < 250_000; number += 1) costs.raise(life(number), ['ada', 1, 1])
  t.equal(costs.raise(life(250_000), ['ada', 1, 1]), null)
  t.equal(costs.raise(life(250_000), ['bea', 2, 1]), null)
  t.equal(costs.raise(life(7), ['ada', 1, 3]), 250_002, 'what is known goes on')
  costs.prune(2)
  t.equal(costs.raise(life(250_000), ['bea', 2, 1]), 1)
})
