import t from 'tap'
import type { FleetHead, MemberId } from '../../../src/fleet/interface.ts'
import { LogStability, type StabilityBus } from '../../../src/fleet/log/logStability.ts'
import { ADMITTED, createSharedLog, STABLE } from '../../../src/fleet/log/sharedLog.ts'
import {
  type AppliedReport,
  decodeReport,
  decodeStable,
  encodeReport,
  encodeStable,
  type StableNotice,
} from '../../../src/fleet/log/stabilityMessages.ts'
import { createRandom } from '../../support/random.ts'
import { VirtualTime } from '../../support/virtualTime.ts'

const MEMBERS = 4
/** Milliseconds of a simulated run, and how long a member may be silent before it is left out. */
const RUN = 10_000
const LEASE_OVER = 2000
const LONGEST_DELAY = 30
const LOST_SHARE = 0.1
const LONGEST_WAIT = 60_000

interface Entry {
  readonly time: number
  /** null for a transaction. */
  readonly head: FleetHead | null
}

interface SimulatedMember {
  readonly id: MemberId
  readonly stability: LogStability
  readonly shared: ReturnType<typeof createSharedLog>
  /** Entries that it has applied, and the last head among them. */
  applied: number
  head: FleetHead | null
  /** It begins nothing under a head of this revision or an earlier one. */
  pledge: number
  isAlive: boolean
  isApplying: boolean
  /** Each says whether it is answered. */
  sent: (() => boolean)[]
}

/** What a run breaks, to see whether that is found. */
type Broken = 'reads wait for nothing' | 'the leader waits for nobody' | null

/** Members of a fleet that apply a log, each at its own pace, over a network that loses messages. */
class Simulation {
  readonly time = new VirtualTime(0)
  readonly #random: () => number
  readonly #broken: Broken
  readonly #log: Entry[] = []
  readonly #members: SimulatedMember[]
  readonly #listeners = new Map<MemberId, (report: AppliedReport) => void>()
  #leader = 0
  /** The most that a client has seen of the log in an answer. */
  #seen = 0
  readonly violations: string[] = []
  answers = 0
  failures = 0

  constructor(seed: number, broken: Broken) {
    this.#random = createRandom(seed)
    this.#broken = broken
    this.#members = Array.from({ length: MEMBERS }, (_, index) => this.#create(index))
    this.#writeHead(1, this.#ids)
    this.#lead(0)
  }

  async run(): Promise<void> {
    this.#every(7, () => this.#send())
    this.#every(3, () => this.#read())
    this.#every(900, () => this.#move())
    this.#every(1500, () => this.#lead(Math.floor(this.#random() * MEMBERS)))
    this.#every(4000, () => this.#kill())
    await this.time.pass(RUN)
  }

  /** Without anything new: what waits is answered. */
  async rest(): Promise<void> {
    for (const member of this.#members) if (!member.isAlive) this.#revive(member)
    await this.time.pass(2 * LEASE_OVER)
  }

  /** Sequences that members know to be stable. */
  get stable(): readonly number[] {
    return this.#members.map(({ stability }) => stability.stable)
  }

  get end(): number {
    return this.#log.length
  }

  get #ids(): readonly MemberId[] {
    return this.#members.filter(({ isAlive }) => isAlive).map(({ id }) => id)
  }

  #create(index: number): SimulatedMember {
    const id = `${index}`.repeat(16)
    const shared = createSharedLog()
    const bus: StabilityBus = {
      report: (report) =>
        this.#deliver(id, () => {
          for (const listener of this.#listeners.values()) listener(decodeReport(encodeReport(report)))
        }),
      tell: (notice: StableNotice) => {
        for (const other of this.#members)
          if (other.id !== id)
            this.#deliver(id, () => other.isAlive && other.stability.hear(decodeStable(encodeStable(notice))))
      },
      listen: (onReport) => {
        this.#listeners.set(id, onReport)
        return () => void this.#listeners.delete(id)
      },
    }
    const stability = new LogStability({ self: id, bus, scheduler: this.time, shared })
    stability.begin({ sequence: 0, time: null })
    return {
      ...{ id, stability, shared, applied: 0, head: null, pledge: 0, isAlive: true, isApplying: false },
      sent: [],
    }
  }

  #deliver(from: MemberId, action: () => void): void {
    const isSent = this.#members.some(({ id, isAlive }) => id === from && isAlive)
    if (!isSent || this.#random() < LOST_SHARE) return
    this.time.after(this.#random() * LONGEST_DELAY, action)
  }

  #every(milliseconds: number, action: () => void): void {
    this.time.after(this.#random() * 2 * milliseconds, () => {
      action()
      if (this.time.now() < RUN) this.#every(milliseconds, action)
    })
  }

  #append(head: FleetHead | null): number {
    this.#log.push({ time: Math.floor(this.time.now()), head })
    for (const member of this.#members) this.#apply(member)
    return this.#log.length
  }

  /** An entry, or some, later. */
  #apply(member: SimulatedMember): void {
    if (member.isApplying || !member.isAlive || member.applied >= this.#log.length) return
    member.isApplying = true
    const count = 1 + Math.floor(this.#random() * 3)
    const group = this.#log.slice(member.applied, member.applied + count)
    const at = group.findIndex(({ head }) => head !== null)
    const entries = at === -1 ? group : group.slice(0, Math.max(1, at))
    const head = entries[0]?.head ?? null
    const last = member.applied + entries.length
    if (head === null) member.stability.admitting(last)
    else member.stability.moving(head)
    this.time.after(this.#random() ** 4 * 4 * LONGEST_DELAY, () => {
      member.isApplying = false
      if (!member.isAlive) return
      const positions = entries.map(({ time }, index) => ({ sequence: member.applied + index + 1, time }))
      member.applied = last
      member.head = head ?? member.head
      member.stability.applied(positions, this.#seenBy(member))
      member.sent = member.sent.filter((answer) => !answer())
      this.#apply(member)
    })
  }

  #seenBy({ id, head }: SimulatedMember): FleetHead | null {
    return this.#broken === 'the leader waits for nobody' && head !== null ? { ...head, members: [id] } : head
  }

  #serves({ id, isAlive, head, pledge }: SimulatedMember): boolean {
    return isAlive && head !== null && head.revision > pledge && head.members.includes(id)
  }

  #anyServing(): SimulatedMember | undefined {
    const serving = this.#members.filter((member) => this.#serves(member))
    return serving[Math.floor(this.#random() * serving.length)]
  }

  /** A client sends a transaction, and is answered when its member has applied it and all have it. */
  #send(): void {
    const member = this.#anyServing()
    if (member === undefined) return
    const seen = this.#seen
    const sequence = this.#append(null)
    member.sent.push(() => {
      if (member.applied < sequence) return false
      this.#answer(member, sequence, seen)
      return true
    })
  }

  #read(): void {
    const member = this.#anyServing()
    if (member !== undefined) this.#answer(member, member.shared.sequences[ADMITTED] ?? 0, this.#seen)
  }

  /** @param shown what the answer shows of the log @param seen what clients had seen when it was asked */
  #answer(member: SimulatedMember, shown: number, seen: number): void {
    const count = (upTo: number) => this.#log.slice(0, upTo).filter(({ head }) => head === null).length
    const done = () => {
      if (!member.isAlive) return
      this.answers += 1
      if (count(shown) < count(seen))
        this.violations.push(`${member.id} shows ${shown} after a client had seen ${seen}`)
      this.#seen = Math.max(this.#seen, shown)
    }
    const waits = this.#broken !== 'reads wait for nothing'
    if (!waits || shown <= (member.shared.sequences[STABLE] ?? 0)) done()
    else
      member.stability.whenStable(shown, LONGEST_WAIT).then(done, () => {
        this.failures += 1
      })
  }

  /** A head of another block, or the same one again, with everybody who is there. */
  #move(): void {
    const last = this.#log.findLast(({ head }) => head !== null)?.head ?? null
    if (last === null || this.#ids.length === 0) return
    const isOther = this.#random() < 0.5
    const leftOut = last.members.filter((id) => !this.#ids.includes(id))
    // A lease that is over is as good as a pledge; those of a member that was killed last for a while.
    if (leftOut.length > 0 && this.time.now() < this.#killedAt + LEASE_OVER) return
    if (isOther) for (const { id } of this.#members) this.#pledge(id, last.revision)
    this.#writeHead(isOther ? last.number + 1 : last.number, this.#ids)
  }
  #killedAt = 0

  #pledge(id: MemberId, revision: number): void {
    const member = this.#members.find((other) => other.id === id)
    if (member !== undefined) member.pledge = Math.max(member.pledge, revision)
  }

  #writeHead(number: number, members: readonly MemberId[]): void {
    const hash = Buffer.alloc(32, number)
    const block = { number, hash, totalDifficulty: BigInt(number) }
    this.#append({ ...block, revision: this.#log.length + 1, epoch: 1, leader: '0'.repeat(16), members })
  }

  /** Both may believe that they lead for a while. */
  #lead(index: number): void {
    const before = this.#leader
    this.#leader = index
    this.#members[index]?.stability.leading(true)
    if (before !== index)
      this.time.after(this.#random() * 300, () => {
        if (this.#leader !== before) this.#members[before]?.stability.leading(false)
      })
  }

  #kill(): void {
    const dead = this.#members.find(({ isAlive }) => !isAlive)
    if (dead !== undefined) {
      this.#revive(dead)
      return
    }
    const member = this.#members[Math.floor(this.#random() * MEMBERS)]
    if (member === undefined) return
    member.isAlive = false
    member.sent = []
    this.#killedAt = this.time.now()
    const other = this.#members.findIndex(({ isAlive }) => isAlive)
    if (this.#members[this.#leader] === member) this.#lead(other)
  }

  /** It comes back as it was, and pledges what the log has: it serves under later heads. */
  #revive(member: SimulatedMember): void {
    member.isAlive = true
    this.#pledge(member.id, this.#log.length)
    this.#apply(member)
  }
}

async function simulate(seed: number, broken: Broken = null): Promise<Simulation> {
  const simulation = new Simulation(seed, broken)
  await simulation.run()
  await simulation.rest()
  return simulation
}

t.test(
  'no member shows less of the log than a client has seen, whoever is slow, dead or leads',
  async (t) => {
    let answers = 0
    for (let seed = 1; seed <= 8; seed += 1) {
      const simulation = await simulate(seed)
      t.same(simulation.violations, [], `seed ${seed}`)
      t.equal(simulation.failures, 0)
      answers += simulation.answers
    }
    t.ok(answers > 8 * 1000, `${answers} answers`)
  },
)

for (const broken of ['reads wait for nothing', 'the leader waits for nobody'] as const)
  t.test(`it is found when ${broken}`, async (t) => {
    const { violations } = await simulate(1, broken)
    t.not(violations.length, 0)
  })

t.test('a member tells for how long another one holds up what it has applied', async (t) => {
  const time = new VirtualTime(0)
  const told: StableNotice[] = []
  let report: (report: AppliedReport) => void = () => undefined
  const bus: StabilityBus = {
    report: () => undefined,
    tell: (notice) => told.push(notice),
    listen: (onReport) => {
      report = onReport
      return () => undefined
    },
  }
  const [self, other, stranger] = ['a', 'b', 'c'].map((digit) => digit.repeat(16)) as [string, string, string]
  const shared = createSharedLog()
  const stability = new LogStability({ self, bus, scheduler: time, shared })
  stability.begin({ sequence: 10, time: 1 })
  stability.leading(true)
  const block = { number: 1, hash: Buffer.alloc(32), totalDifficulty: 1n }
  const head = { ...block, revision: 10, epoch: 1, leader: self, members: [self, other] }
  stability.admitting(11)
  stability.applied([{ sequence: 11, time: 7 }], head)
  const waiting = t.rejects(stability.whenStable(11, 500), { code: 'Timeout' })
  await time.pass(600)
  await waiting
  t.equal(stability.standstill, 600)
  report({ member: stranger, applied: { sequence: 11, time: 7 }, stable: 0 })
  report({ member: other, applied: { sequence: 11, time: 8 }, stable: 0 })
  t.equal(stability.stable, 0, 'neither one that is no member, nor an entry of another log')
  const repeated = told.length
  t.ok(repeated > 2, 'it asks again')
  report({ member: other, applied: { sequence: 11, time: 7 }, stable: 0 })
  t.match([stability.stable, stability.standstill, shared.sequences[STABLE]], [11, 0, 11])
  await time.pass(10)
  t.same(told.at(-1), { leader: self, stable: { sequence: 11, time: 7 } })
  stability.lost()
  t.same([...shared.sequences], [Number.POSITIVE_INFINITY, 0], 'nothing is said of the pool')
  stability.applied([{ sequence: 3, time: 9 }], { ...head, revision: 3 })
  t.equal(shared.sequences[ADMITTED], 3)
  const closing = t.rejects(stability.whenStable(3, 500), { code: 'Closed' })
  stability.stop()
  await closing
})
