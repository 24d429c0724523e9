import { replyBlockOf, sourceOf } from './addressBlock.ts'

/**
 * Bytes that may be sent for each byte that came, in tenths: a PONG is as long as the PING that it answers, give
 * or take the names of hosts. More would make this node an amplifier, because sources can be forged.
 */
const TENTHS = 11

/** Period over which bytes are compared, milliseconds. */
const PERIOD = 60_000

/** Time after which another packet may be sent on credit, milliseconds. */
const CREDIT_REST = 600_000

/** Most sources and blocks of them that are tracked; those silent longest are evicted first. */
const MAX_ACCOUNTS = 4096

/** Packets that may be sent before as much has come: one of each. */
export type Credit = 'ping' | 'pong'

/** Tenths of bytes that may be sent to a source or a block of them; below zero what was sent on credit. */
class Account {
  #tenths = 0
  #began: number
  #owedSince = 0
  #pongAt = Number.NEGATIVE_INFINITY
  readonly #creditAt = new Map<Credit, number>()

  constructor(now: number) {
    this.#began = now
  }

  received(bytes: number, now: number): void {
    this.#turnOver(now)
    this.#tenths += TENTHS * bytes
  }

  may(bytes: number, credit: Credit | null, now: number): boolean {
    this.#turnOver(now)
    if (this.#tenths > 10 * bytes) return true
    return credit !== null && now - (this.#creditAt.get(credit) ?? Number.NEGATIVE_INFINITY) >= CREDIT_REST
  }

  sent(bytes: number, credit: Credit | null, now: number): void {
    if (this.#tenths <= 10 * bytes && credit !== null) {
      this.#creditAt.set(credit, now)
      this.#owedSince = now
    }
    this.#tenths -= 10 * bytes
    if (credit === 'pong') this.#pongAt = now
  }

  hasPong(now: number): boolean {
    return now - this.#pongAt < PERIOD
  }

  /**
   * Bytes that were not sent in a period are not sent in the next one, and those that were owed for one are settled.
   */
  #turnOver(now: number): void {
    if (this.#tenths < 0 ? now - this.#owedSince < PERIOD : now - this.#began < PERIOD) return
    this.#tenths = 0
    this.#began = now
  }
}

/**
 * Bounds what is sent to addresses that never answered, for each of them and for each block of addresses: over a
 * minute less than 1.1 times the bytes that came. Without a PING on credit nodes could not get to know each other,
 * and where the PONG was lost the next PING is answered all the same: either happens once in ten minutes, and is
 * settled before anything else is sent.
 */
export class ReplyBudget {
  readonly #accounts = new Map<string, Account>()
  readonly #exemptsLocal: boolean

  /** @param exemptsLocal whether blocks of local addresses are not counted */
  constructor(exemptsLocal: boolean) {
    this.#exemptsLocal = exemptsLocal
  }

  /** Records a datagram. Times are milliseconds of the steady clock. */
  received(address: string, port: number, bytes: number, now: number): void {
    for (const account of this.#accountsOf(address, port, now)) account.received(bytes, now)
  }

  /**
   * Takes what a datagram needs.
   * @param credit as what it may be sent before as much has come; null for not at all
   * @returns whether it may be sent
   */
  take(address: string, port: number, bytes: number, now: number, credit: Credit | null): boolean {
    const accounts = this.#accountsOf(address, port, now)
    if (!accounts.every((account) => account.may(bytes, credit, now))) return false
    for (const account of accounts) account.sent(bytes, credit, now)
    return true
  }

  /** True when a PONG was sent to a source within the last minute. */
  hasPong(address: string, port: number, now: number): boolean {
    const [source] = this.#accountsOf(address, port, now)
    return source?.hasPong(now) === true
  }

  #accountsOf(address: string, port: number, now: number): Account[] {
    const block = replyBlockOf(address, this.#exemptsLocal)
    const source = this.#account(`source ${sourceOf(address, port)}`, now)
    return block === null ? [source] : [source, this.#account(`block ${block}`, now)]
  }

  #account(key: string, now: number): Account {
    const account = this.#accounts.get(key) ?? new Account(now)
    this.#accounts.delete(key)
    this.#accounts.set(key, account)
    const oldest = this.#accounts.keys().next()
    if (this.#accounts.size > MAX_ACCOUNTS && !oldest.done) this.#accounts.delete(oldest.value)
    return account
  }
}
