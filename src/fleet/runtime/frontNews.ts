import type { FleetFrontEvent } from '../interface.ts'
import type { MemberId } from '../member.ts'
import type { ReceivedMember } from '../presence/members.ts'
import { linksOf } from './links.ts'

/**
 * Milliseconds after which what a member announced is not waited for: less than a request waits, so that the block of
 * a member that went away is no refusal here.
 */
export const ANNOUNCED_FOR = 1500

/** The news of other members for the front thread, with each change. */
export class FrontNews {
  readonly #notify: (event: FleetFrontEvent) => void
  #links = ''
  #announced = ''
  /** Time of the last announcement of which this member lacks something. */
  #receivedAt = 0

  constructor(notify: (event: FleetFrontEvent) => void) {
    this.#notify = notify
  }

  /**
   * Blocks that present members have which are not apart: when they change, and whenever one that this member lacks is announced again.
   * @param own hash of the block that this member has adopted
   * @param now milliseconds of the monotonic clock
   */
  announce(others: readonly ReceivedMember[], own: Buffer | null, now: number): void {
    const recent = others.filter(({ receivedAt, isApart }) => !isApart && now - receivedAt < ANNOUNCED_FOR)
    const blocks = recent.map(({ executed: { number, hash } }) => ({ number, hash }))
    const text = blocks.map(({ hash }) => hash.toString('latin1')).join()
    const lacking = recent.filter(({ executed }) => own === null || !executed.hash.equals(own))
    const receivedAt = Math.max(0, ...lacking.map((member) => member.receivedAt))
    if (text === this.#announced && receivedAt <= this.#receivedAt) return
    this.#announced = text
    this.#receivedAt = receivedAt
    this.#notify({ kind: 'announced', blocks })
  }

  /** Members that are peers. */
  link(self: MemberId, members: readonly ReceivedMember[], genesis: string): void {
    const { connect, trusted } = linksOf(self, members, genesis)
    const text = `${connect.join()} ${trusted.join()}`
    if (text === this.#links) return
    this.#links = text
    this.#notify({ kind: 'members', connect, trusted })
  }
}
