/** Longest delay of a timer, milliseconds; the timer of a later deadline is renewed then. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1

interface UnlockedKey {
  readonly address: Buffer
  readonly privateKey: Buffer
  /** Deadline, milliseconds of the clock; Infinity for none. */
  readonly until: number
}

/** Private keys in memory. A key with a deadline is wiped then, even if nobody asks for it. */
export class UnlockedKeys {
  readonly #now: () => number
  readonly #keys = new Map<string, UnlockedKey>()
  #timer: NodeJS.Timeout | undefined

  /** @param now the clock, milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  addresses(): Buffer[] {
    this.#wipeEnded()
    return [...this.#keys.values()].map(({ address }) => address)
  }

  /** The key itself, which is wiped when the account is locked: use it at once, or copy it. */
  get(address: Buffer): Buffer | null {
    const hex = address.toString('hex')
    const key = this.#keys.get(hex)
    if (key === undefined) return null
    if (key.until >= this.#now()) return key.privateKey
    this.#wipe(hex)
    return null
  }

  /** Adds a key and takes ownership of it. A new deadline replaces the old one. */
  add(address: Buffer, privateKey: Buffer, until: number): void {
    const hex = address.toString('hex')
    this.#wipe(hex)
    this.#keys.set(hex, { address, privateKey, until })
    this.#schedule()
  }

  /** True when there was one. */
  remove(address: Buffer): boolean {
    const there = this.get(address) !== null
    this.#wipe(address.toString('hex'))
    return there
  }

  clear(): void {
    for (const hex of [...this.#keys.keys()]) this.#wipe(hex)
    clearTimeout(this.#timer)
  }

  #wipe(hex: string): void {
    this.#keys.get(hex)?.privateKey.fill(0)
    this.#keys.delete(hex)
  }

  #wipeEnded(): void {
    const now = this.#now()
    for (const [hex, { until }] of [...this.#keys]) if (until < now) this.#wipe(hex)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    let next = Number.POSITIVE_INFINITY
    for (const { until } of this.#keys.values()) next = Math.min(next, until)
    if (next === Number.POSITIVE_INFINITY) return
    const delay = Math.min(Math.max(next - this.#now() + 1, 1), MAX_TIMER_MILLISECONDS)
    this.#timer = setTimeout(() => {
      this.#wipeEnded()
      this.#schedule()
    }, delay)
    this.#timer.unref()
  }
}
