import { FLEET_NAME } from '../../config/options/fleet.ts'
import { FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'

/** What an id of a member looks like. */
export const MEMBER_ID = /^[0-9a-f]{16}$/

const SERVICE = /^[a-z][a-zA-Z]{0,31}$/
const HASH = /^[0-9a-f]{64}$/

/** Keys of the bucket `state` (fleet.md §1). */
export const STATE_KEYS = { format: 'format', leader: 'leader' } as const

/** Key of a number of a member in the bucket `state`. */
export function numberKey(number: number): string {
  return `number.${number}`
}

/** Names of everything that a fleet has in NATS (fleet.md §1). */
export class FleetNames {
  readonly fleet: string

  /** @throws FleetError `BadName` */
  constructor(fleet: string) {
    if (!FLEET_NAME.test(fleet)) {
      throw new FleetError('BadName', `a fleet name has 1 to 32 of a-z, 0-9 and -, got "${fleet}"`)
    }
    this.fleet = fleet
  }

  get log(): string {
    return `${this.fleet}-log`
  }
  get blocks(): string {
    return `${this.fleet}-blocks`
  }
  get usage(): string {
    return `${this.fleet}-usage`
  }
  get work(): string {
    return `${this.fleet}-work`
  }

  /** Bucket of leases. */
  get members(): string {
    return `${this.fleet}-members`
  }
  get state(): string {
    return `${this.fleet}-state`
  }
  get keys(): string {
    return `${this.fleet}-keys`
  }
  get quota(): string {
    return `${this.fleet}-quota`
  }
  /** Object store. */
  get snapshots(): string {
    return `${this.fleet}-snapshots`
  }

  get transactionSubject(): string {
    return `${this.fleet}.log.tx`
  }
  get headSubject(): string {
    return `${this.fleet}.log.head`
  }
  get workSubject(): string {
    return `${this.fleet}.work`
  }
  /** Core NATS: which blocks members have executed (fleet.md §3). */
  get executedSubject(): string {
    return `${this.fleet}.executed`
  }

  /** Core NATS: how far members have applied the log, for the leader (fleet.md §4). */
  get appliedSubject(): string {
    return `${this.fleet}.applied`
  }
  /** Core NATS: how far all members have applied the log (fleet.md §4). */
  get stableSubject(): string {
    return `${this.fleet}.stable`
  }

  /** @param hash of a block, 32 bytes */
  blockSubject(hash: Uint8Array): string {
    return `${this.fleet}.block.${Buffer.from(hash).toString('hex')}`
  }

  /** Hash of the block that a subject of the stream of blocks names; null for another subject. */
  blockHash(subject: string): Buffer | null {
    const prefix = `${this.fleet}.block.`
    const hex = subject.slice(prefix.length)
    return subject.startsWith(prefix) && HASH.test(hex) ? Buffer.from(hex, 'hex') : null
  }

  usageSubject(member: MemberId): string {
    return `${this.fleet}.usage.${checkedMember(member)}`
  }

  /** Where one member is called. @throws FleetError `BadName` */
  serviceSubject(member: MemberId, service: string): string {
    return `${this.fleet}.member.${checkedMember(member)}.${checkedService(service)}`
  }

  /** Where any member is called. @throws FleetError `BadName` */
  anySubject(service: string): string {
    return `${this.fleet}.any.${checkedService(service)}`
  }
}

function checkedMember(member: MemberId): MemberId {
  // Anything else could hold wildcards.
  if (!MEMBER_ID.test(member)) throw new FleetError('BadName', 'a member id has 16 hex digits')
  return member
}

function checkedService(service: string): string {
  if (!SERVICE.test(service))
    throw new FleetError('BadName', `no name of a service: "${service.slice(0, 40)}"`)
  return service
}

/** Stream of a bucket, as the packages of NATS name it. */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`
}

/** Stream of an object store, as the packages of NATS name it. */
export function objectStream(store: string): string {
  return `OBJ_${store}`
}
