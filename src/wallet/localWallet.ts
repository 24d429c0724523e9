import { addressOfPrivateKey, signHash } from '../native/crypto.ts'
import { WalletError } from './errors.ts'
import type { Signer, Wallet } from './interface.ts'
import type { KeyStore } from './keyStore.ts'
import { inListingOrder } from './listingOrder.ts'
import { createPrivateKey, normalizePrivateKey, privateKeyOfSeed } from './privateKey.ts'
import { decryptKey, encryptKey, type ScryptCost } from './secretStorage/cipher.ts'
import { SerialTasks } from './serialTasks.ts'
import { UnlockedKeys } from './unlockedKeys.ts'

/**
 * Default duration for which an account is unlocked after creation, import or an unlock without a duration;
 * 30 min.
 */
export const DEFAULT_UNLOCK_MILLISECONDS: number = 30 * 60 * 1000

/**
 * Most queued passphrases. They are processed one at a time: each takes up to a GiB, and one of the process's
 * few threads for files and crypto, for a second.
 */
const WAITING_PASSPHRASES = 16

/** Parts of a wallet. */
export interface LocalWalletParts {
  readonly store: KeyStore
  /** Scrypt cost of new key files. */
  readonly scrypt: ScryptCost
  /** The clock, milliseconds. */
  readonly now: () => number
}

/** The wallet of this process. */
export class LocalWallet implements Wallet {
  readonly #store: KeyStore
  readonly #scrypt: ScryptCost
  readonly #now: () => number
  readonly #unlocked: UnlockedKeys
  /** Addresses of seed accounts in order of creation. */
  readonly #seeded: Buffer[] = []
  /** Addresses, in hex, that sign and are not listed. */
  readonly #unlisted = new Set<string>()
  readonly #turns = new SerialTasks()
  #waiting = 0

  constructor({ store, scrypt, now }: LocalWalletParts) {
    this.#store = store
    this.#scrypt = scrypt
    this.#now = now
    this.#unlocked = new UnlockedKeys(now)
  }

  addresses(): Buffer[] {
    const stored = this.#store.addresses()
    const all = new Map<string, Buffer>()
    for (const address of [...stored, ...this.#unlocked.addresses(), ...this.#seeded]) {
      all.set(address.toString('hex'), address)
    }
    const shown = (address: Buffer) =>
      !this.#isSeeded(address) &&
      (!this.#unlisted.has(address.toString('hex')) || stored.some((other) => other.equals(address)))
    return [...this.#seeded, ...inListingOrder([...all.values()]).filter(shown)]
  }

  refresh(): Promise<void> {
    return this.#store.scan()
  }

  addSeed(seed: string): Buffer {
    const privateKey = privateKeyOfSeed(seed)
    const address = addressOfPrivateKey(privateKey)
    this.addListedKey(privateKey)
    return address
  }

  /**
   * Adds a key that is held in memory only and stays unlocked until it is locked. Takes ownership of the key.
   */
  addKey(privateKey: Buffer): Buffer {
    const address = addressOfPrivateKey(privateKey)
    this.#unlocked.add(address, privateKey, Number.POSITIVE_INFINITY)
    return address
  }

  /** Adds a key as {@link addKey} does, whose account is listed before those that are stored. */
  addListedKey(privateKey: Buffer): void {
    const address = this.addKey(privateKey)
    if (!this.#isSeeded(address)) this.#seeded.push(address)
  }

  /** Adds a key as {@link addKey} does, whose account is not listed. */
  addUnlistedKey(privateKey: Buffer): void {
    this.#unlisted.add(this.addKey(privateKey).toString('hex'))
  }

  create(passphrase: string): Promise<Buffer> {
    return this.#keep(createPrivateKey(), passphrase)
  }

  async importKey(privateKey: Buffer, passphrase: string): Promise<Buffer> {
    return this.#keep(normalizePrivateKey(privateKey), passphrase)
  }

  exportKey(address: Buffer): Buffer | null {
    const key = this.#unlocked.get(address)
    return key === null ? null : Buffer.from(key)
  }

  async unlock(address: Buffer, passphrase: string, milliseconds: number): Promise<boolean> {
    const privateKey = await this.#decrypt(address, passphrase)
    if (privateKey === null) return false
    this.#unlocked.add(address, privateKey, this.#now() + milliseconds)
    return true
  }

  lock(address: Buffer): boolean {
    return this.#unlocked.remove(address)
  }

  signer(address: Buffer): Signer | null {
    if (this.#unlocked.get(address) === null) return null
    return {
      address,
      // The account may have been locked since, so that its key is looked up for each signature.
      sign: (hash) => {
        const key = this.#unlocked.get(address)
        if (key === null) throw new WalletError('UNKNOWN_ACCOUNT', 'the account was locked meanwhile')
        return signHash(hash, key)
      },
    }
  }

  async withPassphrase<T>(
    address: Buffer,
    passphrase: string,
    use: (signer: Signer) => Promise<T>,
  ): Promise<T> {
    const key = await this.#decrypt(address, passphrase)
    if (key === null) throw new WalletError('UNKNOWN_ACCOUNT', 'no key file of the account in this node')
    try {
      return await use({ address, sign: (hash) => signHash(hash, key) })
    } finally {
      key.fill(0)
    }
  }

  serialized<T>(address: Buffer, action: () => Promise<T>): Promise<T> {
    return this.#turns.run(address.toString('hex'), action)
  }

  close(): void {
    this.#unlocked.clear()
  }

  #isSeeded(address: Buffer): boolean {
    return this.#seeded.some((seeded) => seeded.equals(address))
  }

  /** Stores a key and leaves it unlocked for the default duration. Takes ownership of the key. */
  async #keep(privateKey: Buffer, passphrase: string): Promise<Buffer> {
    const address = addressOfPrivateKey(privateKey)
    await this.#withKdf(async () => {
      const file = await encryptKey(privateKey, passphrase, this.#scrypt)
      await this.#store.write({ ...file, address }, this.#now())
    })
    this.#unlocked.add(address, privateKey, this.#now() + DEFAULT_UNLOCK_MILLISECONDS)
    return address
  }

  /** The stored key of an account; null when no key file has the address. */
  async #decrypt(address: Buffer, passphrase: string): Promise<Buffer | null> {
    if (!this.#store.has(address)) await this.#store.scan()
    const file = await this.#store.read(address)
    return file === null ? null : this.#withKdf(() => decryptKey(file, passphrase))
  }

  /** One key derivation at a time. */
  async #withKdf<T>(action: () => Promise<T>): Promise<T> {
    if (this.#waiting > WAITING_PASSPHRASES) {
      throw new WalletError('BUSY', 'too many passphrases are being worked on, try again later')
    }
    this.#waiting += 1
    try {
      return await this.#turns.run('kdf', action)
    } finally {
      this.#waiting -= 1
    }
  }
}
