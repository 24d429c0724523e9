/** How much may be in use, bytes. */
export interface PeerMemoryLimits {
  /** For one peer. */
  readonly peer: number
  /** For all peers together. */
  readonly total: number
}

/** Figures for operators; totals only grow. */
export interface PeerMemoryStats {
  readonly used: number
  /** The most that one peer has in use now. */
  readonly largest: number
  /** The most that all had in use together since the start. */
  readonly peak: number
  /** How often there was no room, by whose limit it was. */
  readonly refused: { readonly peer: number; readonly total: number }
  /** Peers that were ended to make room for others. */
  readonly reclaimed: number
}

/**
 * What the process keeps for all its peers, in bytes. When there is no room, who has most in use is ended for those
 * that have less: some greedy peers keep no other from being heard.
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
   * An account for one peer; whoever opens it closes it.
   * @param reclaim ends the peer and closes its account before it returns; null: nobody is ended
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
    if (this.#used + bytes > this.limits.total && !this.#makeRoom(account, bytes)) {
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
    return this.#used + bytes <= this.limits.total || this.#makeRoom(account, bytes)
  }

  /** For {@link PeerAccount} alone. */
  release(bytes: number): void {
    this.#used -= bytes
  }

  /** For {@link PeerAccount} alone. */
  remove(account: PeerAccount): void {
    this.#accounts.delete(account)
  }

  #makeRoom(account: PeerAccount, bytes: number): boolean {
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

/** What the process keeps for one peer, in bytes: who takes some gives as many back, or closes the account. */
export class PeerAccount {
  /** Ends the peer, for {@link PeerMemory} alone; null for who is not ended. */
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

  /** Takes bytes; false, and nothing is taken, when that is too much or the account is closed. */
  take(bytes: number): boolean {
    if (this.#closed || !this.#memory.take(this, bytes)) return false
    this.#used += bytes
    return true
  }

  /** Whether there is room for so many more. */
  fits(bytes: number): boolean {
    return !this.#closed && this.#memory.fits(this, bytes)
  }

  /** Gives back bytes that were taken; nothing happens once the account is closed. */
  release(bytes: number): void {
    if (this.#closed) return
    this.#memory.release(bytes)
    this.#used -= bytes
  }

  /** Gives everything back. */
  close(): void {
    if (this.#closed) return
    this.#memory.release(this.#used)
    this.#used = 0
    this.#closed = true
    this.#memory.remove(this)
  }
}
