import { blockOf } from './addressBlock.ts'
import type { Challenge } from './contacts.ts'
import { BLOCK_LIMITS } from './nodeTable.ts'

/** Reason why a node is asked. */
export type Reason =
  /** It contacted us and is not known. */
  | 'stranger'
  /** Another node named it. */
  | 'neighbor'
  /** The configuration, or the address book of an earlier run, named it. */
  | 'named'
  /** It is in the table. */
  | 'known'

/** A sent request without its response. */
export interface OpenRequest {
  readonly kind: 'ping' | 'findNode'
  readonly address: string
  readonly port: number
  /** Expected id, 128 hex digits; null for any. */
  readonly id: string | null
  readonly reason: Reason
  /** Milliseconds, steady clock. */
  readonly sentAt: number
  /** Number of attempts, including this one. */
  readonly attempt: number
  /** The challenge that the node loses by not responding. */
  readonly challenge: Challenge | null
}

/** Most requests per reason. */
const LIMITS: Readonly<Record<Reason, number>> = { stranger: 256, neighbor: 512, named: 512, known: 512 }

/** Open requests by their check. Strangers have a limit of their own, and each subnet a part of that. */
export class OpenRequests {
  readonly #questions = new Map<string, OpenRequest>()
  readonly #counts: Record<Reason, number> = { stranger: 0, neighbor: 0, named: 0, known: 0 }
  /** Endpoints that were sent a PING. */
  readonly #pinged = new Map<string, string>()

  get size(): number {
    return this.#questions.size
  }

  get(check: string): OpenRequest | undefined {
    return this.#questions.get(check)
  }

  /** True when a PING to that address is pending. */
  isPinged(address: string, port: number): boolean {
    return this.#pinged.has(endpointKey(address, port))
  }

  /** True when one more fits. */
  hasCapacity(reason: Reason, address: string): boolean {
    if (this.#counts[reason] >= LIMITS[reason]) return false
    if (reason !== 'stranger') return true
    const block = blockOf(address)
    let kin = 0
    for (const question of this.#questions.values()) {
      if (question.reason === 'stranger' && blockOf(question.address) === block) kin += 1
    }
    return kin < BLOCK_LIMITS.table
  }

  add(check: string, question: OpenRequest): void {
    this.#questions.set(check, question)
    this.#counts[question.reason] += 1
    if (question.kind === 'ping') this.#pinged.set(endpointKey(question.address, question.port), check)
  }

  remove(check: string): void {
    const question = this.#questions.get(check)
    if (question === undefined) return
    this.#questions.delete(check)
    this.#counts[question.reason] -= 1
    const key = endpointKey(question.address, question.port)
    if (this.#pinged.get(key) === check) this.#pinged.delete(key)
  }

  /** Removes and returns those that were sent before a time. */
  takeOlder(time: number): OpenRequest[] {
    const old = [...this.#questions].filter(([, { sentAt }]) => sentAt <= time)
    for (const [check] of old) this.remove(check)
    return old.map(([, question]) => question)
  }
}

function endpointKey(address: string, port: number): string {
  return `${address} ${port}`
}
