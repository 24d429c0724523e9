import { setImmediate } from 'node:timers/promises'
import { FleetUnits } from '../../src/fleet/access/fleetUnits.ts'
import { decodeGrantCall, encodeGrantAnswer } from '../../src/fleet/access/grantCodec.ts'
import { QuotaBlocks, type QuotaRecord, type QuotaStore } from '../../src/fleet/access/quotaBlocks.ts'
import { GrantedUnits } from '../../src/gateway/access/grantedUnits.ts'
import { GrantRequests } from '../../src/gateway/access/grantRequests.ts'
import { type Limits, UNLIMITED } from '../../src/gateway/access/limits.ts'

/** Milliseconds that a message takes one way. */
const LATENCY = 1

/** Milliseconds after which a call without an answer is given up. */
const TIMEOUT = 250

const NO_CALLS = 'the leader is away'

/** The bucket of quotas in memory, with the delay of a quorum. */
export class MemoryQuotas implements QuotaStore {
  readonly records = new Map<string, QuotaRecord>()
  readonly #world: GrantWorld

  constructor(world: GrantWorld) {
    this.#world = world
  }

  reserved(day: number, id: string): number {
    return this.records.get(`${day}.${id}`)?.reserved ?? 0
  }

  async read(day: number, id: string): Promise<QuotaRecord> {
    await this.#world.sleep(LATENCY)
    return this.records.get(`${day}.${id}`) ?? { reserved: 0, revision: 0 }
  }

  async write(day: number, id: string, next: QuotaRecord): Promise<boolean> {
    await this.#world.sleep(LATENCY)
    const place = `${day}.${id}`
    if ((this.records.get(place)?.revision ?? 0) !== next.revision) return false
    this.records.set(place, { reserved: next.reserved, revision: next.revision + 1 })
    return true
  }
}

/** A member with one key, which is asked for as fast as said. */
export class SimulatedMember {
  used = 0
  refused = 0
  readonly units: GrantedUnits
  readonly requests: GrantRequests
  readonly #world: GrantWorld

  constructor(world: GrantWorld, place: number, limits: Limits, dearest: number, usedToday: () => number) {
    this.#world = world
    const id = place.toString(16).padStart(16, '0')
    this.requests = new GrantRequests({
      member: () => id,
      send: (call) => world.call(call),
      now: () => world.now,
      schedule: (action, milliseconds) => world.after(milliseconds, action),
    })
    const { add } = this.requests
    this.units = new GrantedUnits({ id: 'k', limits, dearest, now: world.now, onNeed: add, usedToday })
  }

  /** One request now; whether it was let through. */
  ask(cost: number): boolean {
    const isLetThrough = this.units.charge(cost, this.#world.now) === null
    if (isLetThrough) this.used += cost
    else this.refused += 1
    return isLetThrough
  }

  /** Requests at a pace until a time. @param perSecond requests */
  offer(cost: number, perSecond: number, until: number): void {
    const step = () => {
      this.ask(cost)
      if (this.#world.now + 1000 / perSecond < until) this.#world.after(1000 / perSecond, step)
    }
    this.#world.after(0, step)
  }
}

/** Members of a fleet and their leader on a clock that the test moves. */
export class GrantWorld {
  now = 1_000_000
  day = 20_000
  readonly quotas = new MemoryQuotas(this)
  readonly members: SimulatedMember[] = []
  /** Whether answers get lost on their way, after the leader has debited them. */
  losesAnswers = false
  #leader: FleetUnits | null = null
  #events: { readonly at: number; readonly action: () => void }[] = []

  /** Another member becomes leader. */
  elect(): void {
    const blocks = new QuotaBlocks(this.quotas, (error) => {
      throw error
    })
    this.#leader = new FleetUnits({ quotas: blocks, now: () => this.now, day: () => this.day })
  }

  /** The leader is gone. */
  depose(): void {
    this.#leader = null
  }

  add(
    count: number,
    limits: Partial<Limits>,
    { dearest = 1, usedToday = () => 0 }: { dearest?: number; usedToday?: () => number } = {},
  ): void {
    const all = { ...UNLIMITED, ...limits }
    for (let place = 1; place <= count; place += 1) {
      this.members.push(new SimulatedMember(this, this.members.length + 1, all, dearest, usedToday))
    }
  }

  get used(): number {
    return this.members.reduce((sum, { used }) => sum + used, 0)
  }

  after(milliseconds: number, action: () => void): void {
    this.#events.push({ at: this.now + milliseconds, action })
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve))
  }

  async call(bytes: Buffer): Promise<Buffer> {
    await this.sleep(LATENCY)
    const leader = this.#leader
    if (leader !== null) {
      const answer = encodeGrantAnswer(await leader.grant(decodeGrantCall(bytes)))
      await this.sleep(LATENCY)
      if (leader === this.#leader && !this.losesAnswers) return answer
    }
    await this.sleep(TIMEOUT)
    throw new Error(NO_CALLS)
  }

  /** Lets time pass. @param check is called after every event */
  async run(milliseconds: number, check: () => void = () => undefined): Promise<void> {
    const until = this.now + milliseconds
    for (;;) {
      const next = this.#events.reduce<number>(
        (first, { at }) => Math.min(first, at),
        Number.POSITIVE_INFINITY,
      )
      if (next > until) break
      this.now = next
      const due = this.#events.filter(({ at }) => at <= next)
      this.#events = this.#events.filter(({ at }) => at > next)
      for (const { action } of due) action()
      await setImmediate()
      check()
    }
    this.now = until
  }
}
