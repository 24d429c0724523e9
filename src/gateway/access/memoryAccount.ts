import type { MemoryUse } from '../../filters/memoryUse.ts'
import { RpcError } from '../../rpc/errors.ts'

/**
 * Bytes that a client may have in use although the others have taken nearly all: an ordinary request and its answer.
 */
const LIGHT_BYTES = 256 * 1024

/** Accounts that are known to have had something in use, before those that no longer have are left out. */
const FEW_ACCOUNTS = 1024

/** Share of the total that only light clients get: one of so many. */
const LIGHT_SHARE = 8

/** Bytes of memory that may be in use; 0 is no limit. */
export interface MemoryLimits {
  /** Of one client. */
  readonly client: number
  /** Of all clients together. */
  readonly total: number
}

/** No limits. */
export const UNLIMITED_MEMORY: MemoryLimits = { client: 0, total: 0 }

/** Memory that can be had back from a client that does not read its answers. */
export interface Reclaimable {
  readonly account: MemoryAccount
  readonly held: number
  /** Ends what holds the memory. The bytes are released before this returns. */
  reclaim(): void
}

/** Figures for operators. Totals only grow. */
export interface MemoryStats {
  readonly used: number
  /** The most that one client has in use. */
  readonly largest: number
  /** Requests, answers and messages that were refused for memory, by whose limit it was. */
  readonly refused: { readonly client: number; readonly total: number }
  /** Connections of the largest clients that were ended so that others have memory. */
  readonly reclaimed: number
}

/**
 * Memory in use for all clients of the process. Near the limit the clients with the most lose the answers that they do
 * not read; then every client but light ones is refused. The sum never exceeds the limit.
 */
export class MemoryTotal {
  limits: MemoryLimits
  readonly refused: { client: number; total: number } = { client: 0, total: 0 }
  #used = 0
  #reclaimed = 0
  /** Those with something in use, and some that had: a set that each request empties costs more than its request. */
  readonly #accounts = new Set<MemoryAccount>()
  #mostAccounts = FEW_ACCOUNTS
  readonly #reclaimable = new Set<Reclaimable>()

  constructor(limits: MemoryLimits) {
    this.limits = limits
  }

  get used(): number {
    return this.#used
  }

  stats(): MemoryStats {
    this.#sweep()
    let largest = 0
    for (const { used } of this.#accounts) largest = Math.max(largest, used)
    return { used: this.#used, largest, refused: { ...this.refused }, reclaimed: this.#reclaimed }
  }

  /** True when there is memory for bytes of an account, which are in use then. For {@link MemoryAccount} alone. */
  take(account: MemoryAccount, bytes: number): boolean {
    const { total } = this.limits
    if (total > 0) {
      const isLight = account.used + bytes <= LIGHT_BYTES
      const most = isLight ? total : total - Math.floor(total / LIGHT_SHARE)
      if (this.#used + bytes > most && !this.#reclaim(account, bytes, most)) return false
    }
    if (!account.isListed) this.#list(account)
    this.#used += bytes
    return true
  }

  /** Gives bytes of an account back. For {@link MemoryAccount} alone. */
  release(bytes: number): void {
    this.#used -= bytes
  }

  /** Lists memory that can be had back when there is too little. */
  add(holder: Reclaimable): void {
    this.#reclaimable.add(holder)
  }

  remove(holder: Reclaimable): void {
    this.#reclaimable.delete(holder)
  }

  #list(account: MemoryAccount): void {
    if (this.#accounts.size >= this.#mostAccounts) {
      this.#sweep()
      this.#mostAccounts = Math.max(FEW_ACCOUNTS, 2 * this.#accounts.size)
    }
    account.isListed = true
    this.#accounts.add(account)
  }

  /** Leaves out accounts with nothing in use. */
  #sweep(): void {
    for (const account of this.#accounts) {
      if (account.used > 0) continue
      account.isListed = false
      this.#accounts.delete(account)
    }
  }

  /** Ends answers that nobody reads of clients that have more in use than this one would have. */
  #reclaim(account: MemoryAccount, bytes: number, most: number): boolean {
    while (this.#used + bytes > most) {
      let largest: Reclaimable | null = null
      for (const holder of this.#reclaimable) {
        if (holder.held === 0 || holder.account === account) continue
        if (holder.account.used <= account.used + bytes) continue
        const isLarger =
          largest === null ||
          holder.account.used > largest.account.used ||
          (holder.account === largest.account && holder.held > largest.held)
        if (isLarger) largest = holder
      }
      if (largest === null) return false
      this.#reclaimable.delete(largest)
      this.#reclaimed += 1
      largest.reclaim()
    }
    return true
  }
}

/**
 * Bytes that the process keeps for one client: waiting requests, unread answers, filters and subscriptions. Whoever
 * takes bytes releases as many.
 */
export class MemoryAccount implements MemoryUse {
  readonly total: MemoryTotal
  /** True when the total knows of it. Only {@link MemoryTotal} sets it. */
  isListed = false
  #used = 0

  constructor(total: MemoryTotal) {
    this.total = total
  }

  get used(): number {
    return this.#used
  }

  /** Takes bytes; false, and nothing is taken, when the client or all clients together would have too much. */
  take(bytes: number): boolean {
    const { total } = this
    const most = total.limits.client
    if (most > 0 && this.#used + bytes > most) {
      total.refused.client += 1
      return false
    }
    if (!total.take(this, bytes)) {
      total.refused.total += 1
      return false
    }
    this.#used += bytes
    return true
  }

  /** Gives back bytes that were taken. */
  release(bytes: number): void {
    this.total.release(bytes)
    this.#used -= bytes
  }

  /** Takes bytes. @throws RpcError of {@link refusal} */
  draw(bytes: number): void {
    if (!this.take(bytes)) throw this.refusal(bytes)
  }

  /** Has a new number of bytes in use in place of another one; false, and nothing changes, when that is too much. */
  change(before: number, after: number): boolean {
    if (after > before) return this.take(after - before)
    if (after < before) this.release(before - after)
    return true
  }

  /** The error for whoever would have too much, of which it names the limit: -32005. @param bytes that were to be taken */
  refusal(bytes: number): RpcError {
    const { client } = this.total.limits
    return client > 0 && this.#used + bytes > client
      ? new RpcError(
          'limited',
          `limit exceeded: ${client} bytes of memory for requests, filters, subscriptions and unread answers of one client (--client-memory)`,
          { data: { limit: 'clientMemory' } },
        )
      : new RpcError(
          'limited',
          'limit exceeded: the memory for all clients is in use (--memory-total), try again later',
          {
            data: { limit: 'memoryTotal' },
          },
        )
  }
}
