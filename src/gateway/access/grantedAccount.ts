import { Account, type AccountClock, type LimitReason } from './account.ts'
import type { GrantedUnits } from './grantedUnits.ts'
import type { Limits } from './limits.ts'
import type { MemoryAccount } from './memoryAccount.ts'

/** The account of a key of a fleet: rate and quota are those of the fleet, the other limits those of this member. */
export class GrantedAccount extends Account {
  readonly #units: GrantedUnits

  constructor(limits: Limits, clock: AccountClock, memory: MemoryAccount, units: GrantedUnits) {
    super(units.id, limits, clock, memory)
    this.#units = units
  }

  override charge(cost: number): LimitReason | null {
    const { concurrency } = this.limits
    if (concurrency > 0 && this.running > concurrency) return this.refuse('concurrency')
    const reason = this.#units.charge(cost, this.clock.now())
    if (reason === null) {
      this.used += cost
      return null
    }
    if (reason === 'rate') this.wanted = cost
    return this.refuse(reason)
  }

  override beginDay(day: number, used: number): void {
    super.beginDay(day, used)
    this.#units.beginDay()
  }

  override changeLimits(limits: Limits, dearest: number): void {
    super.changeLimits(limits, dearest)
    this.#units.change(limits, dearest)
  }

  override get left(): number | null {
    return this.#units.left(this.clock.now())
  }

  override get leftToday(): number | null {
    return this.#units.leftToday
  }

  protected override waitFor(reason: LimitReason, cost: number): number {
    if (reason !== 'rate' && reason !== 'dailyQuota') return super.waitFor(reason, cost)
    return this.#units.wait(reason, cost, this.clock.now()) ?? this.clock.untilNextDay()
  }
}
