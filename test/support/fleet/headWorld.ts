import type { LinkedBlock } from '../../../src/fleet/head/fleetBlock.ts'
import { type OtherHead, ServedHead } from '../../../src/fleet/head/servedHead.ts'
import type { MemberId } from '../../../src/fleet/member.ts'

/** Milliseconds of the simulation. */
export const WAIT = 500

/** A block of a simulated chain. @param branch names it among those of a height */
export function blockOf(
  number: number,
  parent: LinkedBlock | null,
  branch = 0,
  difficulty = 10n,
): LinkedBlock {
  const hash = Buffer.alloc(32)
  hash.writeUInt32BE(number)
  hash.writeUInt32BE(branch, 4)
  hash.set((parent?.hash ?? Buffer.alloc(8)).subarray(0, 8), 8)
  return {
    number,
    hash,
    parentHash: parent?.hash ?? Buffer.alloc(32),
    totalDifficulty: (parent?.totalDifficulty ?? 0n) + difficulty,
  }
}

/** An adoption of a simulated member. */
export interface Adoption {
  readonly at: number
  readonly block: LinkedBlock
  readonly why: string
}

/** Makes a rule of members faulty, to see that a checker finds it. */
export type MakeHead = () => ServedHead

/** A member: its rule, what it receives with a delay, and what it adopted. */
export class SimMember {
  readonly id: MemberId
  readonly rule: ServedHead
  readonly adoptions: Adoption[] = []
  readonly executedAt = new Map<string, number>()
  readonly received = new Map<MemberId, OtherHead & { at: number }>()
  executed: LinkedBlock
  adopted: LinkedBlock
  isUp = true

  constructor(id: MemberId, genesis: LinkedBlock, makeHead: MakeHead) {
    this.id = id
    this.rule = makeHead()
    this.rule.executed([genesis], genesis, 0)
    this.rule.adopted(genesis)
    this.executed = genesis
    this.adopted = genesis
  }
}

interface Event {
  readonly at: number
  readonly act: () => void
}

/** Members on virtual time. */
export class HeadWorld {
  readonly members: readonly SimMember[]
  now = 0
  readonly #events: Event[] = []
  /** Milliseconds of a message. */
  delay: () => number = () => 2

  constructor(count: number, genesis: LinkedBlock, makeHead: MakeHead = () => new ServedHead(WAIT)) {
    this.members = Array.from(
      { length: count },
      (_, index) => new SimMember(String(index).padStart(16, '0'), genesis, makeHead),
    )
  }

  /** Does something later. */
  after(milliseconds: number, act: () => void): void {
    this.#events.push({ at: this.now + milliseconds, act })
  }

  /** A member executes a block, if it has its parent. */
  execute(member: SimMember, block: LinkedBlock): void {
    if (!member.isUp) return
    if (block.totalDifficulty > member.executed.totalDifficulty) member.executed = block
    member.executedAt.set(block.hash.toString('hex'), this.now)
    member.rule.executed([block], member.executed, this.now)
    this.#report(member)
    this.#look(member)
  }

  /** Runs for a time. */
  run(milliseconds: number): void {
    const end = this.now + milliseconds
    for (;;) {
      const next = this.#events.reduce<Event | null>(
        (first, event) => (first === null || event.at < first.at ? event : first),
        null,
      )
      if (next === null || next.at > end) break
      this.#events.splice(this.#events.indexOf(next), 1)
      this.now = Math.max(this.now, next.at)
      next.act()
    }
    this.now = end
  }

  #report(member: SimMember): void {
    const { id } = member
    const news = { id, executed: member.executed, adopted: member.adopted, refused: [] }
    for (const other of this.members) {
      if (other === member) continue
      this.after(this.delay(), () => {
        if (!other.isUp) return
        other.received.set(id, { ...news, at: this.now })
        other.rule.received(news, this.now)
        this.#look(other)
      })
    }
  }

  /** Tells presence again, as every half second. */
  reportAll(): void {
    for (const member of this.members) if (member.isUp) this.#report(member)
  }

  #look(member: SimMember): void {
    if (!member.isUp) return
    const others = [...member.received.values()].filter(({ at }) => this.now - at <= 2000)
    const { step, at } = member.rule.plan(others, this.now)
    if (step !== null) {
      member.adopted = step.block
      member.adoptions.push({ at: this.now, block: step.block, why: step.why })
      member.rule.adopted(step.block)
      this.#report(member)
      this.#look(member)
    } else if (at !== null) this.after(Math.max(1, at - this.now), () => this.#look(member))
  }
}
