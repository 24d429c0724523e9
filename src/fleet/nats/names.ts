import { FLEET_NAME } from '../../config/options/fleet.ts'
import { FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'

const SERVICE = /^[a-z][a-zA-Z]{0,31}$/

/** Names of what a fleet has in NATS (fleet.md §1). */
export class FleetNames {
  readonly fleet: string

  /** @throws FleetError `BadName` */
  constructor(fleet: string) {
    if (!FLEET_NAME.test(fleet)) {
      throw new FleetError('BadName', `a fleet name has 1 to 32 of a-z, 0-9 and -, got "${fleet}"`)
    }
    this.fleet = fleet
  }

  /** Bucket of API keys. */
  get keys(): string {
    return `${this.fleet}-apikeys`
  }

  /** Bucket of counters of use. */
  get counters(): string {
    return `${this.fleet}-counters`
  }

  get presence(): string {
    return this.subject('presence')
  }

  get transactions(): string {
    return this.subject('transactions')
  }

  /** Where a member hears that its transactions were heard. */
  confirmed(member: MemberId): string {
    return this.subject(`confirmed.${member}`)
  }

  /** Where a member is called. @throws FleetError `BadName` */
  service(member: MemberId, service: string): string {
    if (!SERVICE.test(service)) throw new FleetError('BadName', `no name of a service: ${service}`)
    return this.subject(`call.${member}.${service}`)
  }

  /** A subject of this fleet. */
  subject(name: string): string {
    return `${this.fleet}.v2.${name}`
  }
}
