/** Limits of memory, bytes. */
export interface PeerMemoryLimits {
  /** For one peer. */
  readonly peer: number
  /** For all peers together. */
  readonly total: number
}

/** Stats for operators; totals only grow. */
export interface PeerMemoryStats {
  readonly used: number
  /** Memory of the peer that uses most. */
  readonly largest: number
  /** Peak memory of all peers since the start. */
  readonly peak: number
  /** Refused reservations by the limit that was reached. */
  readonly refused: { readonly peer: number; readonly total: number }
  /** Peers that were disconnected so that others have memory. */
  readonly reclaimed: number
}

/**
 * The memory of all peers, in bytes. When it is full, the peer with the largest use is disconnected for the
 * sake of smaller ones: a few greedy peers cannot block the others.
 */
export class PeerMemory {
  readonly limits: PeerMemoryLimits
  readonly #accounts = new Set<PeerAccount>()
  readonly #refused = { peer: 0, total: 0 }
  #used = 0
  #peak = 0
  #reclaimed = 0

  constructor(limits: PeerMemoryLimits) {
    this.limits = limits
  }

  get used(): number {
    return this.#used
  }

  /**
   * Opens an account for one peer, which the caller closes.
   * @param reclaim disconnects the peer and closes its account before it returns; null if it must not be
   *   disconnected
   */
  open(reclaim: (() => void) | null = null): PeerAccount {
    const account = new PeerAccount(this, reclaim)
    this.#accounts.add(account)
    return account
  }

  stats(): PeerMemoryStats {
    let largest = 0
    for (const { used } of this.#accounts) largest = Math.max(largest, used)
    return {
      used: this.#used,
      largest,
      peak: this.#peak,
      refused: { ...this.#refused },
      reclaimed: this.#reclaimed,
    }
  }

  /** For {@link PeerAccount} alone. @returns whether `bytes` more are in use now */
  take(account: PeerAccount, bytes: number): boolean {
    if (account.used + bytes > this.limits.peer) {
      this.#refused.peer += 1
      return false
    }
    if (this.#used + bytes > this.limits.total && !this.#reclaim(account, bytes)) {
      this.#refused.total += 1
      return false
    }
    this.#used += bytes
    this.#peak = Math.max(this.#peak, this.#used)
    return true
  }

  /** For {@link PeerAccount} alone. */
  fits(account: PeerAccount, bytes: number): boolean {
    if (account.used + bytes > this.limits.peer) return false
    return this.#used + bytes <= this.limits.total || this.#reclaim(account, bytes)
  }

  /** For {@link PeerAccount} alone. */
  release(bytes: number): void {
    this.#used -= bytes
  }

  /** For {@link PeerAccount} alone. */
  remove(account: PeerAccount): void {
    this.#accounts.delete(account)
  }

  #reclaim(account: PeerAccount, bytes: number): boolean {
    while (this.#used + bytes > this.limits.total) {
      let largest: PeerAccount | null = null
      for (const other of this.#accounts) {
        if (other.reclaim === null || other.used <= account.used + bytes) continue
        if (largest === null || other.used > largest.used) largest = other
      }
      if (largest?.reclaim == null) return false
      this.#reclaimed += 1
      largest.reclaim()
    }
    return true
  }
}

/** The memory of one peer, in bytes: reservations are released one by one, or by closing the account. */
export class PeerAccount {
  /** Disconnects the peer, for {@link PeerMemory} alone; null if it must not be disconnected. */
  readonly reclaim: (() => void) | null
  readonly #memory: PeerMemory
  #used = 0
  #closed = false

  constructor(memory: PeerMemory, reclaim: (() => void) | null) {
    this.#memory = memory
    this.reclaim = reclaim
  }

  get used(): number {
    return this.#used
  }

  /** Reserves bytes; false, without any effect, when too few are left or the account is closed. */
  take(bytes: number): boolean {
    if (this.#closed || !this.#memory.take(this, bytes)) return false
    this.#used += bytes
    return true
  }

  /** True when so many more are left. */
  fits(bytes: number): boolean {
    return !this.#closed && this.#memory.fits(this, bytes)
  }

  /** Releases reserved bytes; no effect once the account is closed. */
  release(bytes: number): void {
    if (this.#closed) return
    this.#memory.release(bytes)
    this.#used -= bytes
  }

  /** Releases everything. */
  close(): void {
    if (this.#closed) return
    this.#memory.release(this.#used)
    this.#used = 0
    this.#closed = true
    this.#memory.remove(this)
  }
}
