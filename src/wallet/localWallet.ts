import { addressOfPrivateKey, signHash } from '../native/crypto.ts'
import { WalletError } from './errors.ts'
import type { Signer, Wallet } from './interface.ts'
import type { KeyStore } from './keyStore.ts'
import { inListingOrder } from './listingOrder.ts'
import { createPrivateKey, normalizePrivateKey, privateKeyOfSeed } from './privateKey.ts'
import { decryptKey, encryptKey, type ScryptCost } from './secretStorage/cipher.ts'
import { SerialTasks } from './serialTasks.ts'
import { UnlockedKeys } from './unlockedKeys.ts'

/** How long a new or imported account stays unlocked, and what an unlock without a duration means; 30 min. */
export const DEFAULT_UNLOCK_MILLISECONDS: number = 30 * 60 * 1000

/**
 * Passphrases that may wait for their turn. One is worked on at a time: each takes up to a GiB and one of
 * the process's few threads for files and crypto for a second.
 */
const WAITING_PASSPHRASES = 16

/** What a wallet is made of. */
export interface LocalWalletParts {
  readonly store: KeyStore
  /** Cost of the key files that are written. */
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
  /** Addresses of seed accounts in the order of their adding. */
  readonly #seeded: Buffer[] = []
  readonly #turns = new SerialTasks()
  #waiting = 0

  constructor({ store, scrypt, now }: LocalWalletParts) {
    this.#store = store
    this.#scrypt = scrypt
    this.#now = now
    this.#unlocked = new UnlockedKeys(now)
  }

  addresses(): Buffer[] {
    const all = new Map<string, Buffer>()
    for (const address of [...this.#store.addresses(), ...this.#unlocked.addresses(), ...this.#seeded]) {
      all.set(address.toString('hex'), address)
    }
    const ordered = inListingOrder([...all.values()])
    return [...this.#seeded, ...ordered.filter((address) => !this.#isSeeded(address))]
  }

  refresh(): Promise<void> {
    return this.#store.scan()
  }

  addSeed(seed: string): Buffer {
    const address = this.addKey(privateKeyOfSeed(seed))
    if (!this.#isSeeded(address)) this.#seeded.push(address)
    return address
  }

  /** Takes over a key that is kept in memory only and stays until it is locked. */
  addKey(privateKey: Buffer): Buffer {
    const address = addressOfPrivateKey(privateKey)
    this.#unlocked.add(address, privateKey, Number.POSITIVE_INFINITY)
    return address
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
      // The account may have been locked since: its key is looked up for each signature.
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

  inTurn<T>(address: Buffer, action: () => Promise<T>): Promise<T> {
    return this.#turns.run(address.toString('hex'), action)
  }

  close(): void {
    this.#unlocked.clear()
  }

  #isSeeded(address: Buffer): boolean {
    return this.#seeded.some((seeded) => seeded.equals(address))
  }

  /** Stores a key and leaves it unlocked for the default duration; takes the key over. */
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
