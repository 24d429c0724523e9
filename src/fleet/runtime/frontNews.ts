import type { FleetFrontEvent, MemberId } from '../interface.ts'
import type { HeardMember } from '../presence/members.ts'
import { linksOf } from './links.ts'

/** What the front thread is told of other members, with each change. */
export class FrontNews {
  readonly #tell: (event: FleetFrontEvent) => void
  #links = ''
  #announced = ''

  constructor(tell: (event: FleetFrontEvent) => void) {
    this.#tell = tell
  }

  /** Blocks that present members have. */
  announce(others: readonly HeardMember[]): void {
    const blocks = others.map(({ presence: { executed } }) => ({
      number: executed.number,
      hash: executed.hash,
    }))
    const text = blocks.map(({ hash }) => hash.toString('latin1')).join()
    if (text === this.#announced) return
    this.#announced = text
    this.#tell({ kind: 'announced', blocks })
  }

  /** Members that are peers. */
  link(self: MemberId, members: readonly HeardMember[], genesis: string): void {
    const { connect, trusted } = linksOf(self, members, genesis)
    const text = `${connect.join()} ${trusted.join()}`
    if (text === this.#links) return
    this.#links = text
    this.#tell({ kind: 'members', connect, trusted })
  }
}
