import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import type { DayCost } from '../../storage/access/lifeUsage.ts'
import { costOf, KEYLESS_ID } from '../../storage/access/usageRecord.ts'
import type { Admission, AdmissionRequest } from '../admission.ts'
import type { AccessBook } from './accessBook.ts'
import { Account, type DayUse, LIMIT_REASONS, type LimitReason } from './account.ts'
import { Caller } from './caller.ts'
import { type ClientAddress, clientOfBytes, type TrustedProxies } from './clientAddress.ts'
import { ClientTable } from './clientTable.ts'
import { KeyCallers } from './keyCallers.ts'
import { isLimited, type Limits, maxCost, resolveLimits, UNKNOWN_COST, UNLIMITED } from './limits.ts'
import { MemoryAccount, type MemoryLimits, type MemoryStats, MemoryTotal } from './memoryAccount.ts'
import { NO_OTHERS, type OthersUse, type OwnUse } from './othersUse.ts'
import { type Clocks, QuotaDay } from './quotaDay.ts'
import { UsageLedger } from './usageLedger.ts'

/** Addresses without a key whose use is remembered. */
const MAX_CLIENTS = 65_536

/** Stands for what is no method in usage. */
export const UNKNOWN_METHOD = 'unknown'

/** Rule by which a request needs a key: as soon as there is one, always, or never. */
export type KeyRule = 'auto' | 'always' | 'never'

/** The parts of admission. */
export interface AccessOptions {
  readonly book: AccessBook
  readonly methods: readonly MethodDefinition[]
  readonly clocks: Clocks
  /** IANA name of the time zone whose days quotas are counted in. */
  readonly timezone: string
  /** Days for which usage is kept. */
  readonly retention: number
  readonly rules: AccessRules
  /** The use that other members of a fleet counted; nothing unless given. */
  readonly others?: OthersUse
}

/** The rules that may change while the node runs. */
export interface AccessRules {
  readonly requireKey: KeyRule
  /** Limits of keys without their own. */
  readonly keyLimits: Limits
  /** Limits of each address that comes without a key. */
  readonly clientLimits: Limits
  readonly proxies: TrustedProxies
  /** The bounds of the memory that the process keeps for clients. */
  readonly memory: MemoryLimits
}

/** Figures for operators. Totals only grow. */
export interface AccessStats {
  readonly keys: number
  /** Addresses without a key that are remembered. */
  readonly clients: number
  readonly refused: Readonly<Record<LimitReason | 'unauthorized', number>>
  readonly memory: MemoryStats
  /** Use of each key and of requests without one, the most first. */
  readonly usage: readonly {
    readonly id: string
    readonly requests: number
    readonly cost: number
    /** Cost units of today, in a fleet of all members; null for the others together. */
    readonly today: number | null
  }[]
}

/** Admission by API keys, and by addresses for who comes without one, within their limits. */
export class AccessAdmission implements Admission, OwnUse {
  readonly day: QuotaDay
  readonly ledger: UsageLedger
  readonly #memory: MemoryTotal
  readonly #book: AccessBook
  readonly #names: readonly string[]
  readonly #costs: Float64Array
  readonly #keys: KeyCallers
  readonly #clients: ClientTable<Caller>
  readonly #anybody: Caller
  readonly #retention: number
  readonly #wall: () => number
  readonly #maxCost: number
  readonly #others: OthersUse
  #rules: AccessRules
  #clientLimits: Limits
  #isClientLimited: boolean
  #revision = -1
  readonly #refused = new Float64Array(LIMIT_REASONS.length)
  #unauthorized = 0
  /** Waits for the next use of a key; null while nobody does. */
  #onUse: (() => void) | null = null

  constructor({ book, methods, clocks, timezone, retention, rules, others = NO_OTHERS }: AccessOptions) {
    this.#book = book
    this.#names = [...methods.map(({ name }) => name), UNKNOWN_METHOD]
    this.#costs = Float64Array.from([...methods.map(({ cost }) => cost), UNKNOWN_COST])
    this.#maxCost = maxCost(methods)
    this.#retention = retention
    this.#wall = clocks.wall
    this.#others = others
    this.day = new QuotaDay(timezone, clocks)
    this.ledger = new UsageLedger(book, this.#names)
    this.#memory = new MemoryTotal(rules.memory)
    this.#rules = rules
    this.#clientLimits = this.#resolveClientLimits(rules)
    this.#isClientLimited = isLimited(this.#clientLimits) || rules.memory.client > 0
    const usedOn = (id: string, day: number) => this.#usedOn(id, day)
    const { ledger, day: clock } = this
    const memory = this.#memory
    this.#keys = new KeyCallers({ methods, ledger, clock, memory, defaults: rules.keyLimits, usedOn })
    const counts = ledger.of(KEYLESS_ID)
    this.#anybody = new Caller(
      'anybody',
      new Account(KEYLESS_ID, UNLIMITED, clock, new MemoryAccount(memory)),
      counts,
    )
    this.#clients = new ClientTable(
      MAX_CLIENTS,
      () => {
        const account = new Account(KEYLESS_ID, this.#clientLimits, clock, new MemoryAccount(memory))
        return new Caller('anybody', account, counts)
      },
      ({ account }) => account.running > 0 || account.sockets > 0 || account.memory.used > 0,
    )
    this.refresh()
    others.attach(this)
  }

  admit(request: AdmissionRequest): Caller | RpcError {
    const { requireKey } = this.#rules
    const isNeeded = requireKey === 'always' || (requireKey === 'auto' && this.#keys.size > 0)
    if (isNeeded || requireKey === 'never') {
      const caller = this.#keys.find(request.path)
      if (caller) return caller.origins === null ? caller : this.#fromPage(caller, request.origin)
      // Who comes with a key that was revoked is nobody who comes without one.
      if (isNeeded || caller === null) return this.#refuse('missing or unknown API key')
    }
    if (!this.#isClientLimited) return this.#anybody
    const address = this.#addressOf(request)
    return address === null ? this.#anybody : this.#clients.of(address)
  }

  charge(caller: Caller, method: number): RpcError | null {
    // A WebSocket may be older than the newest keys.
    if (caller.isRevoked) return this.#refuse('missing or unknown API key')
    const { opens, account, counts } = caller
    const isClosed = opens !== null && method < opens.length && opens[method] === 0
    const counted = isClosed ? this.#names.length - 1 : method
    const cost = this.#costs[counted] ?? UNKNOWN_COST
    const reason = account.charge(cost)
    if (reason !== null) {
      counts.refused(counted)
      return this.#overLimit(account, reason, cost)
    }
    counts.admitted(counted, cost)
    if (this.#onUse !== null && account.id !== KEYLESS_ID) this.#used()
    if (!isClosed) return null
    return new RpcError(
      'methodUnavailable',
      `the method ${this.#names[method]} does not exist/is not available`,
    )
  }

  chargeAll(caller: Caller, method: number, requests: number): boolean {
    const { opens, account, counts } = caller
    if (caller.isRevoked || (opens !== null && method < opens.length && opens[method] === 0)) return false
    const cost = (this.#costs[method] ?? UNKNOWN_COST) * requests
    if (!account.chargeAll(cost)) return false
    counts.admitted(method, cost, requests)
    if (this.#onUse !== null && account.id !== KEYLESS_ID) this.#used()
    return true
  }

  admitSocket({ account }: Caller): RpcError | null {
    const reason = account.refuseSocket()
    return reason === null ? null : this.#overLimit(account, reason, 0)
  }

  isProxy(address: ArrayBuffer): boolean {
    return this.#rules.proxies.has(address)
  }

  /** The answer to who is over a limit, counted. */
  #overLimit(account: Account, reason: LimitReason, cost: number): RpcError {
    const index = LIMIT_REASONS.indexOf(reason)
    this.#refused[index] = (this.#refused[index] ?? 0) + 1
    return account.refusal(reason, cost)
  }

  /** The key of a caller; undefined for one without. */
  keyOf(caller: Caller): KeyRecord | undefined {
    return this.#keys.keyOf(caller)
  }

  /** To be called some times a second: follows changes of the keys, and the day. */
  refresh(): void {
    const before = this.day.day
    if (this.day.look()) {
      this.ledger.close(before)
      this.recount()
    }
    const revision = this.#book.revision()
    if (revision === this.#revision && !this.#keys.isOutdated(this.#wall())) return
    this.#keys.replace(this.#book.keys(), this.#wall())
    this.#revision = revision
    this.#used()
  }

  recount(): void {
    const { day } = this.day
    this.ledger.close(day)
    for (const account of this.#keys.accounts()) account.beginDay(day, this.#usedOn(account.id, day))
    this.#used()
  }

  changed(isAll: boolean): readonly DayCost[] {
    const changed: DayCost[] = []
    for (const account of this.#keys.accounts()) {
      const cost = account.takeChange(isAll)
      if (cost !== null) changed.push([account.id, account.day, cost])
    }
    return changed
  }

  onNextUse(listener: () => void): void {
    this.#onUse = listener
  }

  usedByOthers(id: string, day: number, cost: number, isLate: boolean): void {
    this.#keys.usedByOthers(id, day, cost, isLate)
  }

  /** Brings usage to disk. @throws what the store throws; nothing is lost then */
  flush(): Promise<void> {
    return this.ledger.flush(this.day.day)
  }

  /** Removes usage that is older than it is kept. */
  prune(): Promise<number> {
    return this.#book.pruneUsage(this.day.day - this.#retention + 1)
  }

  /** Other rules from now on. */
  changeRules(rules: AccessRules): void {
    this.#rules = rules
    this.#memory.limits = rules.memory
    this.#clientLimits = this.#resolveClientLimits(rules)
    this.#isClientLimited = isLimited(this.#clientLimits) || rules.memory.client > 0
    for (const { account } of this.#clients.values()) account.changeLimits(this.#clientLimits)
    this.#keys.changeDefaults(rules.keyLimits)
  }

  /** @param most keys that are named; the others are one line, `other` */
  stats(most: number): AccessStats {
    const refused = Object.fromEntries(
      LIMIT_REASONS.map((reason, index) => [reason, this.#refused[index] ?? 0]),
    )
    return {
      keys: this.#keys.size,
      clients: this.#clients.size,
      refused: { ...(refused as Record<LimitReason, number>), unauthorized: this.#unauthorized },
      memory: this.#memory.stats(),
      usage: this.ledger.totals(most).map((usage, index) => ({
        ...usage,
        today: index < most ? this.#today(usage.id) : null,
      })),
    }
  }

  #used(): void {
    const listener = this.#onUse
    this.#onUse = null
    listener?.()
  }

  #fromPage(caller: Caller, origin: string): Caller | RpcError {
    if (origin === '' || caller.origins?.has(origin) === true) return caller
    return this.#refuse('the API key is not for pages of this origin')
  }

  #refuse(message: string): RpcError {
    this.#unauthorized += 1
    return new RpcError('unauthorized', message)
  }

  #addressOf(request: AdmissionRequest): ClientAddress | null {
    const { proxies } = this.#rules
    return proxies.isEmpty
      ? clientOfBytes(request.address)
      : proxies.clientOf(request.address, request.forwardedFor)
  }

  #today(id: string): number {
    const { own, others } = this.#usedOn(id, this.day.day)
    return own + others
  }

  #usedOn(id: string, day: number): DayUse {
    const stored = this.#book.usage(id, day, day).reduce((sum, { methods }) => sum + costOf(methods), 0)
    const own = this.#book.ownCost(id, day)
    // Others may have reported more than their rows that are kept here.
    const others = Math.max(stored - own, this.#others.costOn(id, day))
    return { own: own + this.ledger.unwrittenCost(id, day), others }
  }

  #resolveClientLimits({ clientLimits }: AccessRules): Limits {
    return resolveLimits(clientLimits, clientLimits, this.#maxCost)
  }
}
