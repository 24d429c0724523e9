import {
  decodeGrantAnswer,
  encodeGrantCall,
  type GrantAsk,
  MOST_KEYS,
} from '../../fleet/access/grantCodec.ts'
import type { MemberId } from '../../fleet/interface.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { GrantedUnits } from './grantedUnits.ts'

/** Milliseconds for which needs are gathered before the leader is asked for all of them at once. */
const PERIOD = 15

/** How the leader is reached, and when. */
export interface GrantRequestsOptions {
  /** Id of this member; null until the fleet has told it. */
  readonly member: () => MemberId | null
  /** Asks the leader; what it throws means no answer. */
  readonly send: (call: Buffer) => Promise<Buffer>
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Calls back once after milliseconds, without keeping the process. */
  readonly schedule?: (action: () => void, milliseconds: number) => void
}

/** Figures for operators. */
export interface GrantStats {
  readonly calls: number
  /** Calls without an answer. */
  readonly failed: number
  /** Keys that were asked for, of all calls. */
  readonly keys: number
}

/** Asks the leader of the fleet for cost units of all keys that need some, in one call at a time. */
export class GrantRequests {
  readonly #options: GrantRequestsOptions
  readonly #schedule: (action: () => void, milliseconds: number) => void
  readonly #needs = new Set<GrantedUnits>()
  #isScheduled = false
  #calls = 0
  #failed = 0
  #keys = 0

  constructor(options: GrantRequestsOptions) {
    this.#options = options
    this.#schedule =
      options.schedule ?? ((action, milliseconds) => void setTimeout(action, milliseconds).unref())
  }

  /** A key needs units. */
  readonly add = (units: GrantedUnits): void => {
    this.#needs.add(units)
    this.#plan()
  }

  stats(): GrantStats {
    return { calls: this.#calls, failed: this.#failed, keys: this.#keys }
  }

  #plan(): void {
    if (this.#isScheduled || this.#needs.size === 0) return
    this.#isScheduled = true
    this.#schedule(() => void this.#run(), PERIOD)
  }

  async #run(): Promise<void> {
    const asked = [...this.#needs].slice(0, MOST_KEYS)
    for (const units of asked) this.#needs.delete(units)
    const askedAt = this.#options.now()
    const asks: GrantAsk[] = asked.map((units) => units.ask(askedAt))
    this.#calls += 1
    this.#keys += asks.length
    try {
      const member = this.#options.member()
      if (member === null) throw new RpcError('fleetAway')
      const bytes = await this.#options.send(encodeGrantCall({ member, asks }))
      const { day, grants } = decodeGrantAnswer(bytes, asks.length)
      const now = this.#options.now()
      for (const [place, grant] of grants.entries()) asked[place]?.take(grant, askedAt, day, now)
    } catch {
      // The leader is away or changes: members go on with their overdraft until it is used up.
      this.#failed += 1
      for (const units of asked) units.unanswered()
    }
    this.#isScheduled = false
    this.#plan()
  }
}
