import { moduleOf } from '../../rpc/availability.ts'
import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import type { KeyRecord } from '../../storage/access/keyRecord.ts'
import { SECRET_PREFIX } from '../../util/secretKey.ts'
import { Account, type AccountClock, type DayUse } from './account.ts'
import { Caller } from './caller.ts'
import { keyOfPath } from './keyPath.ts'
import { KeyRing, type KnownSecret } from './keyRing.ts'
import { type Limits, maxCost, resolveLimits } from './limits.ts'
import { MemoryAccount, type MemoryTotal } from './memoryAccount.ts'
import type { UsageLedger } from './usageLedger.ts'

/** Paths whose caller is remembered; a key may stand behind any number of them. */
const MAX_PATHS = 16_384

/** The parts of callers with keys. */
export interface KeyCallersOptions {
  readonly methods: readonly MethodDefinition[]
  readonly ledger: UsageLedger
  readonly clock: AccountClock
  readonly memory: MemoryTotal
  /** Limits of keys without their own. */
  readonly defaults: Limits
  /** Cost units of a key on a day so far. */
  readonly usedOn: (id: string, day: number) => DayUse
}

/** The callers of the keys that are valid now. */
export class KeyCallers {
  readonly #options: KeyCallersOptions
  #defaults: Limits
  #keys: readonly KeyRecord[] = []
  #ring = new KeyRing([], 0)
  /** By the hash of their secret. */
  #callers = new Map<string, Caller>()
  readonly #accounts = new Map<string, Account>()
  /**
   * Callers by path. Only complete paths that matched a key are inserted, and lookups hash the complete path with a
   * random seed, so timing reveals nothing about part of a key.
   */
  readonly #byPath = new Map<string, Caller>()

  constructor(options: KeyCallersOptions) {
    this.#options = options
    this.#defaults = options.defaults
  }

  /** Number of keys, the disabled ones included. */
  get size(): number {
    return this.#keys.length
  }

  /**
   * The caller of a path; undefined when it ends with no key, null when it does with one that is not valid: it was
   * revoked, or has the form of the secrets of this program.
   */
  find(path: string): Caller | undefined | null {
    const known = this.#byPath.get(path)
    if (known !== undefined) return known
    const text = keyOfPath(path)
    if (text === '') return undefined
    const secret = this.#ring.find(text)
    if (secret === null) return text.startsWith(SECRET_PREFIX) ? null : undefined
    const caller = this.#callers.get(secret.hash.toString('hex'))
    if (secret.isRevoked || caller === undefined) return null
    if (this.#byPath.size >= MAX_PATHS) this.#byPath.clear()
    this.#byPath.set(path, caller)
    return caller
  }

  /** The key of a caller. */
  keyOf({ account }: Caller): KeyRecord | undefined {
    return this.#keys.find(({ id }) => id === account.id)
  }

  /** Accounts of all keys. */
  accounts(): Iterable<Account> {
    return this.#accounts.values()
  }

  /** True when a replaced secret has ended since the keys were taken. @param now milliseconds since 1970 */
  isOutdated(now: number): boolean {
    return now >= this.#ring.nextEnd
  }

  /** Makes exactly these keys valid and ends the WebSockets of those that are not any more. */
  replace(keys: readonly KeyRecord[], now: number): void {
    const before = this.#callers
    this.#keys = keys
    this.#ring = new KeyRing(keys, now)
    this.#callers = new Map()
    this.#byPath.clear()
    this.#keepAccounts()
    for (const secret of this.#ring.secrets()) {
      const hash = secret.hash.toString('hex')
      this.#callers.set(hash, this.#callerOf(secret, before.get(hash)))
    }
    for (const [hash, caller] of before) if (this.#callers.get(hash) !== caller) caller.revoke()
  }

  /** Other limits for keys without their own. */
  changeDefaults(defaults: Limits): void {
    this.#defaults = defaults
    for (const key of this.#keys) this.#accounts.get(key.id)?.changeLimits(this.#limitsOf(key))
  }

  #keepAccounts(): void {
    const kept = new Map(this.#keys.map((key) => [key.id, key]))
    for (const id of [...this.#accounts.keys()]) if (!kept.has(id)) this.#accounts.delete(id)
    const { clock, memory, usedOn } = this.#options
    for (const [id, key] of kept) {
      const limits = this.#limitsOf(key)
      const known = this.#accounts.get(id)
      if (known !== undefined) known.changeLimits(limits)
      else {
        const account = new Account(id, limits, clock, new MemoryAccount(memory))
        account.beginDay(clock.day, usedOn(id, clock.day))
        this.#accounts.set(id, account)
      }
    }
  }

  #callerOf({ key }: KnownSecret, before: Caller | undefined): Caller {
    const account = this.#accounts.get(key.id) as Account
    const caller =
      before?.account === account ? before : new Caller(key.id, account, this.#options.ledger.of(key.id))
    caller.opens = this.#opens(key)
    caller.changeOrigins(key.origins)
    caller.reverts = key.revertErrors
    caller.beyondHead = key.beyondHead
    return caller
  }

  #limitsOf(key: KeyRecord): Limits {
    const opened = this.#options.methods.filter((method) => isOpened(key, method))
    return resolveLimits(key.limits, this.#defaults, maxCost(opened))
  }

  /** Others have used a key by now. @param cost units */
  received(id: string, day: number, cost: number, isLate: boolean): void {
    this.#accounts.get(id)?.received(day, cost, isLate)
  }

  #opens(key: KeyRecord): Uint8Array | null {
    if (key.methods === null && key.modules === null) return null
    return Uint8Array.from(this.#options.methods, (method) => (isOpened(key, method) ? 1 : 0))
  }
}

function isOpened({ methods, modules }: KeyRecord, { name, aliases }: MethodDefinition): boolean {
  if (methods === null && modules === null) return true
  if (modules?.has(moduleOf(name)) === true) return true
  return methods !== null && [name, ...aliases].some((known) => methods.has(known))
}
