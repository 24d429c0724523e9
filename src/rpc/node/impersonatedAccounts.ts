import type { Impersonation } from '../context.ts'

/** Addresses of a development chain of which everybody may send transactions. */
export class ImpersonatedAccounts implements Impersonation {
  readonly #addresses = new Set<string>()
  #all = false

  add(address: Buffer): void {
    this.#addresses.add(address.toString('hex'))
  }

  remove(address: Buffer): boolean {
    return this.#addresses.delete(address.toString('hex'))
  }

  has(address: Buffer): boolean {
    return this.#all || this.#addresses.has(address.toString('hex'))
  }

  setAll(on: boolean): void {
    this.#all = on
  }

  clear(): void {
    this.#addresses.clear()
    this.#all = false
  }
}
