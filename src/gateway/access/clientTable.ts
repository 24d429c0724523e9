import type { ClientAddress } from './clientAddress.ts'

/** Looks for an entry that can go before one goes that is in use. */
const MAX_LOOKS = 256

interface Entry<T> {
  address: ClientAddress
  value: T
  /** True when it was asked for since the hand came by. */
  seen: boolean
}

/**
 * A bounded map from client address to value with clock (second chance) eviction, so that forged addresses cannot make
 * it grow.
 */
export class ClientTable<T> {
  readonly #most: number
  readonly #create: () => T
  readonly #isBusy: (value: T) => boolean
  readonly #byAddress = new Map<ClientAddress, Entry<T>>()
  readonly #entries: Entry<T>[] = []
  #hand = 0

  /**
   * @param most entries
   * @param isBusy whether a value should stay
   */
  constructor(most: number, create: () => T, isBusy: (value: T) => boolean) {
    this.#most = most
    this.#create = create
    this.#isBusy = isBusy
  }

  get size(): number {
    return this.#entries.length
  }

  /** The value of an address, a new one for a new address. */
  of(address: ClientAddress): T {
    const known = this.#byAddress.get(address)
    if (known !== undefined) {
      known.seen = true
      return known.value
    }
    const entry = { address, value: this.#create(), seen: false }
    this.#byAddress.set(address, entry)
    if (this.#entries.length < this.#most) this.#entries.push(entry)
    else this.#replace(entry)
    return entry.value
  }

  /** Every value. */
  *values(): Generator<T> {
    for (const { value } of this.#entries) yield value
  }

  #replace(entry: Entry<T>): void {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const old = this.#entries[this.#hand]
      if (old === undefined || (!old.seen && !this.#isBusy(old.value))) break
      old.seen = false
      this.#hand = (this.#hand + 1) % this.#most
    }
    const old = this.#entries[this.#hand]
    if (old !== undefined) this.#byAddress.delete(old.address)
    this.#entries[this.#hand] = entry
    this.#hand = (this.#hand + 1) % this.#most
  }
}
