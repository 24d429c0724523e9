import type { MemberId } from '../../../src/fleet/interface.ts'
import type { FleetMember } from '../../../src/fleet/member/fleetMember.ts'
import type { MemberLeases } from '../../../src/fleet/member/memberPorts.ts'
import type { SimFaults } from './simFaults.ts'
import type { SimFront } from './simFront.ts'
import type { SimRecord, SimServer } from './simServer.ts'
import type { SimProcess, SimWorld } from './simWorld.ts'

const LEADER = 'leader'

export interface SimLeasesParts {
  readonly world: SimWorld
  readonly server: SimServer
  readonly process: SimProcess
  readonly faults: SimFaults
  readonly id: MemberId
  readonly incarnation: string
  readonly lease: number
  readonly clock: () => number
  readonly front: SimFront
  /** In milliseconds of the member's clock. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Once its lease holds for the first time. */
  onHeld(): void
  member(): FleetMember | null
}

/** Leases of members and of the leader, by the rules of `src/fleet/lease`, over the simulated server. */
export class SimLeases implements MemberLeases {
  readonly #parts: SimLeasesParts
  readonly #seen = new Map<string, SimRecord & { received: number }>()
  #revision: number | null = null
  /** Whether the log is known to be the one that was applied. */
  isVerified = true
  /** How often the connection was lost. */
  interruptions = 0
  #wasHeld = false
  #isOver = true
  #epoch = 0
  #leaderDeadline = 0

  constructor(parts: SimLeasesParts) {
    this.#parts = parts
  }

  start(): void {
    void this.#keep()
    void this.#lead()
  }

  onRecord(record: SimRecord): void {
    const known = this.#seen.get(record.key)
    if (known !== undefined && known.revision >= record.revision) return
    this.#seen.set(record.key, { ...record, received: this.#parts.clock() })
    if (record.key === LEADER && record.value.owner !== this.#owner) this.#epoch = 0
    this.#parts.member()?.wake()
  }

  get leading(): number | null {
    return this.#epoch > 0 && this.#parts.clock() < this.#leaderDeadline ? this.#epoch : null
  }

  get known(): readonly MemberId[] {
    return [...this.#seen.keys()].filter((key) => key !== LEADER)
  }

  isOver(member: MemberId): boolean {
    const seen = this.#seen.get(member)
    return seen === undefined || seen.value.over === true || this.#isSilent(seen)
  }

  async end(member: MemberId): Promise<boolean> {
    const { server, id, process, faults } = this.#parts
    const seen = this.#seen.get(member)
    if (faults.endNotWritten) return this.isOver(member)
    if (seen === undefined || (seen.value.over !== true && !this.#isSilent(seen))) return false
    if (seen.value.over && faults.endNotRepeated) return true
    const value = { ...seen.value, over: true }
    const revision = await server.request(id, process, () =>
      server.compareAndSet(member, seen.revision, value),
    )
    this.#parts.world.note(`${id.slice(-1)} ends ${member.slice(-1)}: ${revision}`)
    if (revision === null) return false
    this.onRecord({ key: member, revision, value })
    return true
  }

  get #owner(): string {
    return `${this.#parts.id} ${this.#parts.incarnation}`
  }

  #isSilent({ received }: { received: number }): boolean {
    const { clock, lease, faults } = this.#parts
    return clock() - received > (faults.leaseOverEarly ? 1 : 1.5) * lease
  }

  async #keep(): Promise<void> {
    const { process, lease, sleep, clock, front, member } = this.#parts
    while (!process.isDead) {
      const again = await this.#renew().catch(() => false)
      const isOver = clock() >= front.deadline
      if (isOver !== this.#isOver) {
        this.#isOver = isOver
        member()?.leaseChanged(isOver)
      }
      member()?.announce()
      if (!again) await sleep(lease / 4)
    }
  }

  /** @returns whether to try again at once */
  async #renew(): Promise<boolean> {
    const { world, server, id, process, faults, lease, clock, front, member } = this.#parts
    if (!this.isVerified) return false
    const { interruptions } = this
    if (!faults.signOfLifeSkipped) await front.ping()
    this.#revision ??= (await server.request(id, process, () => server.record(id)))?.revision ?? 0
    const expected = this.#revision
    const sent = clock()
    const value = { owner: this.#owner }
    const revision = await server.request(id, process, () => server.compareAndSet(id, expected, value))
    if (revision === null) {
      const found = await server.request(id, process, () => server.record(id))
      this.#revision = found?.revision ?? 0
      if (found?.value.over && found.value.owner === this.#owner) {
        world.note(`fenced ${id.slice(-1)}`)
        member()?.fenced()
      }
      return true
    }
    this.#revision = revision
    if (interruptions !== this.interruptions) return true
    front.deadline = (faults.leaseFromAcknowledgement ? clock() : sent) + lease
    if (!this.#wasHeld) this.#parts.onHeld()
    this.#wasHeld = true
    return false
  }

  async #lead(): Promise<void> {
    const { process, lease, sleep, clock } = this.#parts
    const began = clock()
    while (!process.isDead) {
      if (this.#epoch > 0 && this.leading === null) this.#epoch = 0
      const seen = this.#seen.get(LEADER)
      const isSilent = seen === undefined ? clock() - began > 1.5 * lease : this.#isSilent(seen)
      try {
        if (this.#epoch > 0) await this.#writeLeader(this.#epoch)
        else if (isSilent || seen?.value.owner === this.#owner)
          await this.#writeLeader((seen?.value.epoch ?? 0) + 1)
      } catch {
        // It is tried again.
      }
      await sleep(lease / 4)
    }
  }

  async #writeLeader(epoch: number): Promise<void> {
    const { server, id, process, lease, clock } = this.#parts
    const expected = this.#seen.get(LEADER)?.revision ?? 0
    const value = { owner: this.#owner, epoch }
    const sent = clock()
    const revision = await server.request(id, process, () => server.compareAndSet(LEADER, expected, value))
    if (revision === null) return
    this.onRecord({ key: LEADER, revision, value })
    this.#epoch = epoch
    this.#leaderDeadline = sent + lease
  }
}
