import t from 'tap'
import {
  decodeGrantAnswer,
  decodeGrantCall,
  encodeGrantAnswer,
  encodeGrantCall,
  GRANT_BYTES,
  MOST_KEYS,
} from '../../../src/fleet/access/grantCodec.ts'
import { GRANT_LIFETIME } from '../../../src/gateway/access/grantedUnits.ts'
import { GrantWorld, type SimulatedMember } from '../../support/grantWorld.ts'

const RATE = 1000
const SECOND = 1000

/** Reproducible numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function memberOf(world: GrantWorld, place: number): SimulatedMember {
  const member = world.members[place]
  if (member === undefined) throw new Error(`no member ${place}`)
  return member
}

t.test('a key that uses one member only reaches 95 % of its rate within a second', async (t) => {
  for (const cost of [1, 20]) {
    for (const others of [0, 7]) {
      const world = new GrantWorld()
      world.elect()
      world.add(1 + others, { rate: RATE, burst: RATE }, { dearest: cost })
      const member = memberOf(world, 0)
      member.offer(cost, (2 * RATE) / cost, world.now + 3 * SECOND)
      await world.run(SECOND)
      const first = member.used
      t.ok(
        first >= 0.95 * RATE,
        `${first} of ${RATE} with cost ${cost} in the first second, from an empty bucket`,
      )
      await world.run(SECOND)
      t.ok(member.used - first >= 0.95 * RATE, `${member.used - first} in the second one`)
      t.ok(member.used <= 2 * RATE + RATE / 10)
    }
  }
})

t.test('a key that moves to another member reaches its rate there within a second', async (t) => {
  const world = new GrantWorld()
  world.elect()
  world.add(2, { rate: RATE, burst: RATE })
  memberOf(world, 0).offer(1, 2 * RATE, world.now + 3 * SECOND)
  await world.run(3 * SECOND)
  memberOf(world, 1).offer(1, 2 * RATE, world.now + SECOND)
  await world.run(SECOND)
  t.ok(memberOf(world, 1).used >= 0.95 * RATE, String(memberOf(world, 1).used))
})

t.test('members share a rate by what they are asked for', async (t) => {
  const equal = new GrantWorld()
  equal.elect()
  equal.add(3, { rate: RATE, burst: RATE })
  for (const member of equal.members) member.offer(1, RATE, equal.now + 5 * SECOND)
  await equal.run(5 * SECOND)
  t.ok(equal.used >= 0.95 * 5 * RATE, `${equal.used} in all`)
  for (const { used } of equal.members)
    t.ok(Math.abs(used - equal.used / 3) < 0.05 * equal.used, String(used))

  const unequal = new GrantWorld()
  unequal.elect()
  unequal.add(2, { rate: RATE, burst: RATE })
  memberOf(unequal, 0).offer(1, 0.6 * RATE, unequal.now + 5 * SECOND)
  // More than the whole rate counts as the whole rate: a flood at one member does not starve the others.
  memberOf(unequal, 1).offer(1, 5 * RATE, unequal.now + 5 * SECOND)
  await unequal.run(5 * SECOND)
  for (const { requests } of unequal.members) t.equal(requests.stats().failed, 0)
  const part = memberOf(unequal, 0).used / unequal.used
  t.ok(part > 0.32 && part < 0.45, `${part} where 0.375 is fair`)
})

t.test('the burst of a key that rested is there at one member', async (t) => {
  const world = new GrantWorld()
  world.elect()
  world.add(1, { rate: RATE, burst: 3 * RATE })
  await world.run(4 * SECOND)
  const member = memberOf(world, 0)
  member.offer(1, 50 * RATE, world.now + 100)
  await world.run(100)
  t.ok(member.used >= 0.9 * 3 * RATE, `${member.used} within a tenth of a second`)
})

t.test(
  'whatever leaders and answers get lost, the overshoot is a tenth of a second times members',
  async (t) => {
    for (const seed of [1, 2, 3]) {
      const random = randomNumbers(seed)
      const world = new GrantWorld()
      const members = 3
      const dearest = 20
      world.elect()
      world.add(members, { rate: RATE, burst: RATE }, { dearest })
      const began = world.now
      for (const member of world.members)
        member.offer(1 + Math.floor(random() * dearest), RATE, world.now + 8 * SECOND)
      const overdraft = members * Math.max(RATE / 10, dearest)
      let most = 0
      let before = began
      // The first leader begins empty, so that its bucket holds no burst that was not earned.
      const check = () => {
        const allowed = (RATE * (world.now - began)) / SECOND + overdraft
        most = Math.max(most, world.used - allowed)
        before = world.now
      }
      for (let turn = 0; turn < 8; turn += 1) {
        world.losesAnswers = random() < 0.3
        if (random() < 0.4) world.depose()
        await world.run(300, check)
        if (random() < 0.7) world.elect()
        await world.run(700, check)
      }
      t.ok(before > began)
      t.ok(most <= 1e-6, `${most} above the bound`)
      t.ok(world.used > 2 * RATE, `${world.used} were used`)
    }
  },
)

t.test('without a leader a member uses its overdraft and no more', async (t) => {
  const world = new GrantWorld()
  world.add(1, { rate: RATE, burst: RATE }, { dearest: 20 })
  const member = memberOf(world, 0)
  member.offer(1, RATE, world.now + 5 * SECOND)
  await world.run(5 * SECOND)
  t.equal(member.used, RATE / 10)
  t.equal(
    member.units.wait('rate', 1, world.now),
    50,
    'a short wait, since the bucket is not known to be empty',
  )
  world.elect()
  member.offer(1, RATE, world.now + SECOND)
  await world.run(SECOND)
  t.ok(member.used > 0.9 * RATE, 'with a leader it goes on')
})

t.test('units that were granted and not used expire', async (t) => {
  const world = new GrantWorld()
  world.elect()
  world.add(1, { rate: RATE, burst: RATE })
  const member = memberOf(world, 0)
  await world.run(SECOND)
  member.offer(1, RATE, world.now + 300)
  await world.run(400)
  world.depose()
  const burst = () => {
    let letThrough = 0
    while (member.ask(1)) letThrough += 1
    return letThrough
  }
  await world.run(GRANT_LIFETIME + 1)
  t.equal(burst(), RATE / 10, 'only the overdraft is left')
})

t.test('a method that costs more than the burst is never let through', async (t) => {
  const world = new GrantWorld()
  world.elect()
  world.add(1, { rate: 10, burst: 30 }, { dearest: 50 })
  const member = memberOf(world, 0)
  await world.run(10 * SECOND)
  t.notOk(member.ask(31))
  t.equal(member.units.wait('rate', 31, world.now), Number.POSITIVE_INFINITY)
  t.ok(member.ask(30))
})

t.test('a dear method gets through at a low rate on several members', async (t) => {
  const world = new GrantWorld()
  world.elect()
  world.add(3, { rate: 30, burst: 60 }, { dearest: 50 })
  for (const member of world.members) member.offer(50, 2, world.now + 20 * SECOND)
  await world.run(20 * SECOND)
  t.ok(world.used >= 0.9 * 30 * 20, `${world.used} of 600`)
  for (const { used } of world.members) t.ok(used >= 100, String(used))
})

t.test('a quota of the day is never overshot, with three members and leaders that are killed', async (t) => {
  for (const seed of [1, 2, 3]) {
    const random = randomNumbers(seed)
    const quota = 20_000
    const world = new GrantWorld()
    // What usage tells lags by two seconds.
    const seen: number[] = []
    world.elect()
    world.add(3, { dailyQuota: quota }, { dearest: 20, usedToday: () => seen.at(-20) ?? 0 })
    for (const member of world.members) {
      member.offer(1 + Math.floor(random() * 20), 300, world.now + 30 * SECOND)
    }
    const check = () => t.ok(world.used <= quota, 'within the quota') || t.bailout('overshot')
    for (let turn = 0; turn < 300; turn += 1) {
      const fate = random()
      if (fate < 0.05) world.depose()
      else if (fate < 0.2) world.elect()
      world.losesAnswers = random() < 0.05
      await world.run(100)
      seen.push(world.used)
      if (turn % 25 === 0) check()
    }
    check()
    t.ok(world.quotas.reserved(world.day, 'k') <= quota)
    t.ok(world.used >= 0.7 * quota, `${world.used} of ${quota}: what leaders had when they ended is lost`)
  }
})

t.test('under one leader a quota is used to the end, and said to be over', async (t) => {
  const quota = 5000
  const world = new GrantWorld()
  world.elect()
  world.add(3, { dailyQuota: quota }, { dearest: 20 })
  for (const member of world.members) member.offer(2, 200, world.now + 20 * SECOND)
  await world.run(20 * SECOND)
  t.ok(world.used <= quota)
  t.ok(world.used >= 0.98 * quota, `${world.used} of ${quota}`)
  for (const { units } of world.members) {
    t.ok((units.leftToday ?? quota) <= 0.02 * quota)
    t.equal(units.left(world.now), null)
  }
})

t.test('days begin anew, also when the clock of the leader goes back', async (t) => {
  const quota = 1000
  const world = new GrantWorld()
  world.elect()
  world.add(2, { dailyQuota: quota }, { dearest: 1 })
  const day = world.day
  const spend = async () => {
    const before = world.used
    for (const member of world.members) member.offer(1, 400, world.now + 5 * SECOND)
    await world.run(6 * SECOND)
    return world.used - before
  }
  const first = await spend()
  t.ok(first > 0.95 * quota && first <= quota, String(first))
  world.day = day + 1
  const second = await spend()
  t.ok(second > 0.95 * quota && second <= quota + 0.05 * quota, String(second))
  world.day = day
  const again = await spend()
  t.ok(first + second + again <= 2 * quota, 'the day before has nothing more to give')
  world.elect()
  t.ok(first + second + again + (await spend()) <= 2 * quota)
  world.day = day + 1
  await spend()
  t.ok(world.used <= 2 * quota)
  t.ok(world.quotas.reserved(day, 'k') <= quota && world.quotas.reserved(day + 1, 'k') <= quota)
})

t.test('what is no call or no answer is refused', (t) => {
  const ask = {
    id: 'k',
    rate: 1,
    burst: 2,
    dailyQuota: 3,
    demand: 4.5,
    wanted: 5,
    overdrawn: 6,
    quotaWanted: 7,
    quotaOverdrawn: 8,
  }
  const call = { member: '0123456789abcdef', asks: [ask] }
  t.same(decodeGrantCall(encodeGrantCall(call)), call)
  const grant = { units: 1, covered: 2, level: 3, quotaUnits: 4, quotaCovered: 5, quotaLeft: 6 }
  const answer = { day: 5, grants: [grant] }
  t.same(decodeGrantAnswer(encodeGrantAnswer(answer), 1), answer)
  t.throws(() => decodeGrantAnswer(encodeGrantAnswer(answer), 2), { code: 'Malformed' })
  t.throws(() => decodeGrantCall(encodeGrantCall({ ...call, member: 'x' })), { code: 'Malformed' })
  for (const wrong of [
    { id: '' },
    { rate: -1 },
    { wanted: Number.NaN },
    { burst: Number.POSITIVE_INFINITY },
  ]) {
    const bytes = encodeGrantCall({ ...call, asks: [{ ...ask, ...wrong }] })
    t.throws(() => decodeGrantCall(bytes), { code: 'Malformed' }, JSON.stringify(wrong))
  }
  const many = Array.from({ length: MOST_KEYS + 1 }, () => ask)
  t.throws(() => decodeGrantCall(encodeGrantCall({ ...call, asks: many })), { code: 'Malformed' })
  t.throws(() => decodeGrantCall(Buffer.alloc(GRANT_BYTES + 1)), { code: 'Malformed' })
  t.throws(() => decodeGrantCall(Buffer.from('c1', 'hex')), { code: 'Malformed' })
  const longest = Array.from({ length: MOST_KEYS }, () => ({ ...ask, id: 'x'.repeat(64), demand: 1e9 + 0.1 }))
  t.ok(encodeGrantCall({ ...call, asks: longest }).length <= GRANT_BYTES)
  t.end()
})

t.test('while units are plenty the leader is asked less often', async (t) => {
  const world = new GrantWorld()
  world.elect()
  world.add(1, { rate: RATE, burst: RATE })
  const member = memberOf(world, 0)
  const callsOf = async (perSecond: number, milliseconds: number) => {
    const before = member.requests.stats().calls
    member.offer(1, perSecond, world.now + milliseconds)
    await world.run(milliseconds)
    return member.requests.stats().calls - before
  }
  // Its bucket begins empty, and is full when it has rested.
  const short = await callsOf(2 * RATE, 2 * SECOND)
  await world.run(2 * SECOND)
  const plenty = await callsOf(RATE / 2, 2 * SECOND)
  t.ok(plenty <= 24, `${plenty} calls in two seconds`)
  t.ok(short > 2 * plenty, `${short} calls where units are short`)
  t.equal(member.requests.stats().failed, 0)
})
