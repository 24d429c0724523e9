import type { Impersonation } from '../context.ts'

/** Addresses of a development chain of which everybody may send transactions. */
export class ImpersonatedAccounts implements Impersonation {
  readonly #addresses = new Set<string>()

  add(address: Buffer): void {
    this.#addresses.add(address.toString('hex'))
  }

  remove(address: Buffer): boolean {
    return this.#addresses.delete(address.toString('hex'))
  }

  has(address: Buffer): boolean {
    return this.#addresses.has(address.toString('hex'))
  }
}
