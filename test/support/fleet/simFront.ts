import { EVERY_REVISION, type FleetBlock, type FleetFrontEvent } from '../../../src/fleet/interface.ts'
import type { MemberFront } from '../../../src/fleet/member/memberPorts.ts'
import type { SimFaults } from './simFaults.ts'
import type { SimProcess, SimWorld } from './simWorld.ts'

const HOLD_LIMIT = 30

/** What of a front thread the rules are about: which requests it begins, and under which head. */
export class SimFront implements MemberFront {
  /** Called with every hold. */
  onHold: () => void = () => undefined
  /** Milliseconds of the member's clock, written by its lease. */
  deadline = 0
  head: FleetBlock
  readonly #world: SimWorld
  readonly #name: string
  readonly #process: SimProcess
  readonly #faults: SimFaults
  readonly #clock: () => number
  #membership: Extract<FleetFrontEvent, { kind: 'membership' }> | null = null
  #held = 0
  #released = 0
  #releasedHash: Buffer | null = null
  #waiting: ((head: FleetBlock | null) => void)[] = []
  #lastMessage = 0
  #lastHead = 0

  constructor(
    world: SimWorld,
    {
      name,
      process,
      faults,
      clock,
      head,
    }: { name: string; process: SimProcess; faults: SimFaults; clock: () => number; head: FleetBlock },
  ) {
    this.#world = world
    this.#name = name
    this.#process = process
    this.#faults = faults
    this.#clock = clock
    this.head = head
  }

  get serves(): boolean {
    return this.#refuses() === false && this.#isHeld() === false
  }

  tell(event: FleetFrontEvent): void {
    // A front thread of a process that has just begun holds nothing: seeds stay those of the faults that they show.
    const isFirst = this.#membership === null && event.kind === 'release' && event.revision === EVERY_REVISION
    if (!isFirst) this.#post(() => this.#take(event))
  }

  async hold(revision: number): Promise<void> {
    const held = new Promise<void>((resolve) => {
      this.#post(() => {
        if (revision >= this.#released) {
          this.#held = Math.max(this.#held, revision)
          this.onHold()
          this.#world.note(`front ${this.#name}: held at ${revision}`)
          if (this.#faults.holdEndsByItself)
            this.#world.after(HOLD_LIMIT, this.#process, () => this.#release(revision + 0.5, null))
        }
        this.#world.after(this.#world.between(0, 0.5), this.#process, resolve)
      })
    })
    if (!this.#faults.holdNotAwaited) await held
  }

  ping(): Promise<void> {
    return new Promise((resolve) => this.#post(resolve))
  }

  /** The chain thread tells of its head. */
  headChanged(head: FleetBlock): void {
    const at = Math.max(this.#world.now + this.#world.between(0, 2), this.#lastHead + 0.001)
    this.#lastHead = at
    this.#world.after(at - this.#world.now, this.#process, () => {
      this.head = head
      this.#goOn()
    })
  }

  /** A request comes. @returns the head that it is answered at; null when it is refused */
  begin(): Promise<FleetBlock | null> {
    if (this.#refuses()) return Promise.resolve(null)
    if (!this.#isHeld()) return Promise.resolve(this.head)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Whether what was begun may be answered now. */
  mayAnswer(): boolean {
    return this.#faults.leaseIgnored === true || this.#clock() < this.deadline
  }

  #take(event: FleetFrontEvent): void {
    if (event.kind === 'membership') {
      this.#membership = event
      this.#world.note(`front ${this.#name}: ${event.absence ?? 'serves'} at ${event.head?.revision}`)
    }
    if (event.kind === 'release') this.#release(event.revision, event.hash)
    this.#goOn()
  }

  #release(revision: number, hash: Buffer | null): void {
    if (revision === EVERY_REVISION) {
      this.#held = 0
      this.#released = 0
      this.#releasedHash = null
      this.#goOn()
      return
    }
    if (revision <= this.#released) return
    this.#released = revision
    this.#releasedHash = hash
    this.#goOn()
  }

  #goOn(): void {
    if (this.#refuses()) {
      for (const resolve of this.#waiting.splice(0)) resolve(null)
    } else if (!this.#isHeld()) {
      for (const resolve of this.#waiting.splice(0)) resolve(this.head)
    }
  }

  #refuses(): boolean {
    const membership = this.#membership
    if (membership === null || membership.head === null || membership.absence !== null) return true
    return !this.mayAnswer()
  }

  #isHeld(): boolean {
    if (this.#held > 0 && this.#held >= this.#released) return true
    if (this.#faults.headNotAwaited) return false
    const named = this.#membership?.head
    if (named && !named.hash.equals(this.head.hash)) return true
    return this.#releasedHash !== null && !this.#releasedHash.equals(this.head.hash)
  }

  /** Messages between the threads come in order, now and then late. */
  #post(run: () => void): void {
    const world = this.#world
    const delay = world.chance(0.01) ? world.between(5, 400) : world.between(0, 0.5)
    const at = Math.max(world.now + delay, this.#lastMessage + 0.001)
    this.#lastMessage = at
    world.after(at - world.now, this.#process, run)
  }
}
