import { isDeepStrictEqual } from 'node:util'
import type { KV } from '@nats-io/kv'
import type { MemberId } from '../interface.ts'
import type { ObservedLease } from '../lease/leases.ts'
import { type LogPosition, type MemberState, readMemberFile, writeMemberFile } from '../memberFile.ts'
import { claimNumber, memberOfNumber } from '../memberNumbers.ts'

/** Most members whose number is remembered while they are away: all that there can be. */
const MOST_NUMBERS = 65_536

/** Who this member is: what its file says, and numbers of members (fleet.md §1). */
export class MemberIdentity {
  readonly number: number
  readonly #bucket: Pick<KV, 'get' | 'put' | 'keys'>
  readonly #dataDir: string
  readonly #known = new Map<number, MemberId>()
  #file: MemberState

  private constructor(
    bucket: Pick<KV, 'get' | 'put' | 'keys'>,
    dataDir: string,
    file: MemberState,
    number: number,
  ) {
    this.#bucket = bucket
    this.#dataDir = dataDir
    this.#file = { ...file, number }
    this.number = number
  }

  /**
   * Reads the file, or makes one, and claims the number.
   * @param bucket `state`
   * @throws FleetError
   */
  static async claim(
    bucket: Pick<KV, 'get' | 'put' | 'keys'>,
    dataDir: string,
    fleet: string,
  ): Promise<MemberIdentity> {
    const file = readMemberFile(dataDir, fleet)
    const number = await claimNumber(bucket, file.id, file.number)
    const identity = new MemberIdentity(bucket, dataDir, file, number)
    writeMemberFile(dataDir, identity.#file)
    return identity
  }

  get id(): MemberId {
    return this.#file.id
  }

  /** Where it stood in the log when that was last noted; null for a new member. */
  get position(): LogPosition | null {
    return this.#file.log
  }

  /** Whom the last head named that it applied, when that was last noted. */
  get named(): readonly MemberId[] {
    return this.#file.named
  }

  /** Keeps in the file where it stands, durably. @param named by the last head that it applied */
  notePosition(log: LogPosition, named: readonly MemberId[]): void {
    const file = { ...this.#file, log, named }
    if (isDeepStrictEqual(file, this.#file)) return
    writeMemberFile(this.#dataDir, file)
    this.#file = file
  }

  /** The member of a number; null for one that is not known, or not known yet. */
  memberOf(number: number, leases: readonly ObservedLease[]): MemberId | null {
    const id = leases.find(({ record }) => record.number === number)?.id
    if (id !== undefined) return id
    // Read once for the next who asks: members that are away have no lease.
    void memberOfNumber(this.#bucket, number)
      .then((member) => {
        if (member !== null && this.#known.size < MOST_NUMBERS) this.#known.set(number, member)
      })
      .catch(() => undefined)
    return this.#known.get(number) ?? null
  }
}
