import fc from 'fast-check'
import t from 'tap'
import type { LinkedBlock } from '../../../src/fleet/head/fleetBlock.ts'
import { ServedHead } from '../../../src/fleet/head/servedHead.ts'
import { blockOf, HeadWorld, type MakeHead, WAIT } from '../../support/fleet/headWorld.ts'

const GENESIS = blockOf(0, null)
const ids = ['a'.repeat(16), 'b'.repeat(16)] as const

function head(blocks: readonly LinkedBlock[], now = 0): ServedHead {
  const rule = new ServedHead(WAIT)
  rule.executed([GENESIS], GENESIS, 0)
  rule.adopted(GENESIS)
  for (const block of blocks) rule.executed([block], block, now)
  return rule
}

const other = (
  executed: LinkedBlock,
  adopted: LinkedBlock = GENESIS,
  id: string = ids[0],
  refused: readonly LinkedBlock[] = [],
) => ({
  id,
  executed,
  adopted,
  refused: refused.map(({ hash }) => hash.toString('hex')),
})

const one = blockOf(1, GENESIS)
const two = blockOf(2, one)

t.test('a block waits for members that stand below it, and for no others', (t) => {
  const rule = head([one], 100)
  const plan = (...others: ReturnType<typeof other>[]) => rule.plan(others, 150)
  t.same(plan(other(GENESIS)), { step: null, at: 100 + WAIT })
  t.match(plan(other(one)), { step: { block: one, why: 'executed', waited: 50 } })
  t.match(plan(other(blockOf(1, GENESIS, 7))), { step: { why: 'executed' } }, 'one on another branch')
  t.match(plan(other(GENESIS, GENESIS, ids[0], [one])), { step: { why: 'executed' } }, 'one that refused it')
  t.match(plan(other(GENESIS), other(one, one, ids[1])), { step: { why: 'adopted' } })
  t.match(rule.plan([], 150), { step: { why: 'executed' } }, 'nobody is there')
  t.match(rule.plan([other(GENESIS)], 100 + WAIT), { step: { why: 'late', waited: WAIT } })
  t.end()
})

t.test('a descendant that all have is adopted with the blocks before it', (t) => {
  const rule = head([one, two])
  t.match(rule.plan([other(two)], 1), { step: { block: two } })
  t.match(rule.plan([other(one)], 1), { step: { block: one } })
  t.match(rule.plan([other(one, one)], 1), { step: { block: one, why: 'adopted' } })
  t.end()
})

t.test('a branch is left for a heavier one alone, and one that was overtaken is never adopted', (t) => {
  const heavy = blockOf(1, GENESIS, 1, 11n)
  const rule = head([one])
  rule.executed([heavy], heavy, 10)
  t.match(rule.plan([other(GENESIS)], WAIT + 5), { step: null }, 'the one before is not')
  t.match(rule.plan([other(GENESIS)], WAIT + 10), { step: { block: heavy } })
  rule.adopted(heavy)
  const next = blockOf(2, one, 0, 10n)
  rule.executed([next], next, 20)
  const { step } = rule.plan([other(next)], 21)
  t.equal(step?.block, next, 'not the lighter block on the way')
  t.end()
})

t.test('a member that is late for three blocks is not waited for until it is in time', (t) => {
  const rule = head([])
  let parent = GENESIS
  const next = (now: number) => {
    parent = blockOf(parent.number + 1, parent)
    rule.executed([parent], parent, now)
    return parent
  }
  for (let round = 0; round < 3; round += 1) {
    const block = next(round * 1000)
    t.equal(rule.plan([other(GENESIS)], round * 1000 + 1).step, null)
    t.match(rule.plan([other(GENESIS)], round * 1000 + WAIT).step, { why: 'late' })
    rule.adopted(block)
  }
  t.same([...rule.late], [ids[0]])
  const block = next(5000)
  t.match(rule.plan([other(GENESIS)], 5001).step, { block, why: 'executed' })
  rule.adopted(block)
  rule.received({ id: ids[0], executed: block }, 5000 + WAIT + 1)
  t.same([...rule.late], [ids[0]], 'it has it, and late')
  rule.received({ id: ids[0], executed: block }, 5000 + WAIT)
  t.same([...rule.late], [])
  t.end()
})

t.test('a member is late for a block that another one adopted before the wait was over here', (t) => {
  const rule = head([])
  let parent = GENESIS
  for (let round = 0; round < 3; round += 1) {
    parent = blockOf(parent.number + 1, parent)
    rule.executed([parent], parent, round * 1000)
    const first = other(parent, parent, ids[1])
    t.match(rule.plan([other(GENESIS), first], round * 1000 + WAIT - 1).step, { why: 'adopted' })
    rule.adopted(parent)
    t.same([...rule.late], [], 'it may still be in time')
    t.same(rule.plan([other(GENESIS), first], round * 1000 + WAIT - 1), {
      step: null,
      at: round * 1000 + WAIT,
    })
    rule.plan([other(GENESIS), first], round * 1000 + WAIT)
  }
  t.same([...rule.late], [ids[0]])
  t.end()
})

/** Runs members under delays and stops, and checks what each of them adopted. @returns what is wrong; null for nothing */
function violation(
  { delays, stops, branches }: Scenario,
  makeHead: MakeHead = () => new ServedHead(WAIT),
): string | null {
  const world = new HeadWorld(3, GENESIS, makeHead)
  let parent = GENESIS
  let before = GENESIS
  delays.forEach((ofMembers, round) => {
    const onParent = branches[round % branches.length] === true ? before : parent
    const block = blockOf(onParent.number + 1, onParent, round, onParent === before ? 21n : 10n)
    before = parent
    parent = block
    world.after(round * 1000 + 1, () => {
      ofMembers.forEach((delay, index) => {
        const member = world.members[index]
        if (member !== undefined) world.after(delay, () => world.execute(member, block))
      })
    })
    world.after(round * 1000 + 500, () => world.reportAll())
  })
  stops.forEach(({ member, at, length }) => {
    const stopped = world.members[member]
    if (stopped === undefined) return
    world.after(at, () => {
      stopped.isUp = false
    })
    world.after(at + length, () => {
      stopped.isUp = true
    })
  })
  world.run(delays.length * 1000 + 5000)
  for (const { id, adoptions, executedAt, isUp, executed, adopted } of world.members) {
    let weight = GENESIS.totalDifficulty
    for (const { at, block } of adoptions) {
      const since = executedAt.get(block.hash.toString('hex'))
      if (since === undefined) return `${id} adopted what it had not executed`
      if (block.totalDifficulty <= weight) return `${id} went back`
      weight = block.totalDifficulty
      const wasStopped = stops.some((stop) => stop.at < at && at < stop.at + stop.length + 2500)
      if (!wasStopped && stops.length === 0 && at - since > WAIT + 1)
        return `${id} waited for ${at - since} ms`
    }
    if (isUp && stops.length === 0 && executed !== adopted) return `${id} has not adopted what it executed`
  }
  return null
}

interface Scenario {
  readonly delays: readonly (readonly number[])[]
  readonly stops: readonly { readonly member: number; readonly at: number; readonly length: number }[]
  readonly branches: readonly boolean[]
}

const delay = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 900 }))
const scenarios = fc.record<Scenario>({
  delays: fc.array(fc.array(delay, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
  stops: fc.array(
    fc.record({
      member: fc.integer({ min: 0, max: 2 }),
      at: fc.integer({ min: 0, max: 8000 }),
      length: fc.integer({ min: 1, max: 4000 }),
    }),
    { maxLength: 2 },
  ),
  branches: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
})

t.test('members adopt what they executed, in time, and never go back', (t) => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const wrong = violation(scenario)
      if (wrong !== null) throw new Error(wrong)
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('the checker finds rules that are broken', (t) => {
  class TooPatient extends ServedHead {
    constructor() {
      super(3 * WAIT)
    }
  }
  const broken: readonly MakeHead[] = [() => new TooPatient()]
  for (const makeHead of broken) {
    const found = fc.check(
      fc.property(scenarios, (scenario) => violation(scenario, makeHead) === null),
      { numRuns: 300 },
    )
    t.ok(found.failed)
  }
  t.end()
})

t.test('where processors are free members differ by the way of a message', (t) => {
  const world = new HeadWorld(3, GENESIS)
  let parent = GENESIS
  for (let round = 0; round < 20; round += 1) {
    const block = blockOf(parent.number + 1, parent)
    parent = block
    world.after(round * 1000 + 1, () => {
      for (const [index, member] of world.members.entries())
        world.after(10 * index, () => world.execute(member, block))
    })
    world.after(round * 1000 + 500, () => world.reportAll())
  }
  world.run(25_000)
  const [first] = world.members
  for (const [index, { at }] of (first?.adoptions ?? []).entries()) {
    // Nobody was heard before the first block.
    if (index === 0) continue
    const times = world.members.map(({ adoptions }) => adoptions[index]?.at ?? 0)
    t.ok(Math.max(...times) - Math.min(...times) <= 2, `block ${index + 1} at ${at}: ${times.join()}`)
  }
  t.end()
})
