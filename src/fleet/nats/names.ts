import type { MemberId } from '../member.ts'

/** Names of what a fleet has in NATS (fleet.md §1). */
export class FleetNames {
  readonly fleet: string
  /** Bucket of API keys. */
  readonly keys: string
  /** Bucket of counters of use. */
  readonly counters: string

  constructor(fleet: string) {
    this.fleet = fleet
    this.keys = `${fleet}-apikeys`
    this.counters = `${fleet}-counters`
  }

  /** Subject at which a member is called. */
  service(member: MemberId, service: string): string {
    return this.subject(`call.${member}.${service}`)
  }

  /** A subject of this fleet: `presence`, `transactions`, `confirmed.MEMBER`, `counters`, `work`. */
  subject(name: string): string {
    return `${this.fleet}.v2.${name}`
  }
}
