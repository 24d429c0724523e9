/** ECDSA signature of a 32-byte hash, low s. */
export interface HashSignature {
  /** 32 bytes. */
  readonly r: Buffer
  /** 32 bytes. */
  readonly s: Buffer
  readonly parity: 0 | 1
}

/** Signs with one key, which it does not reveal. */
export interface Signer {
  /** 20 bytes. */
  readonly address: Buffer
  /** Signs a 32-byte hash. */
  sign(hash: Buffer): HashSignature
}

/**
 * The keys of the node. The wallet lives in the front thread alone: no key ever crosses to a worker or to the
 * chain thread, only signed transactions do. Key derivation runs on the threads of node:crypto and blocks
 * nobody.
 */
export interface Wallet {
  /**
   * Accounts in the reference's order: those of seeds in order of creation, then the others. 20 bytes each.
   */
  addresses(): Buffer[]

  /** Rescans the folder for key files that were added or removed by hand. */
  refresh(): Promise<void>

  /** Adds the account whose key is Keccak-256 of the seed's UTF-8 bytes, in memory only and unlocked. */
  addSeed(seed: string): Buffer

  /**
   * Creates an account with a random key, stores it and leaves it unlocked for the default duration.
   * @throws WalletError `BUSY`
   */
  create(passphrase: string): Promise<Buffer>

  /**
   * Stores a 32-byte private key, in place of the account's key file if it has one, and leaves it unlocked
   * for the default duration.
   * @throws WalletError `INVALID_KEY`, `BUSY`
   */
  importKey(privateKey: Buffer, passphrase: string): Promise<Buffer>

  /** A copy of the private key of an unlocked account; null when it is locked or unknown. */
  exportKey(address: Buffer): Buffer | null

  /**
   * Unlocks a stored account; false when no key file has the address.
   * @param milliseconds until it locks itself
   * @throws WalletError `WRONG_PASSPHRASE`, `KEY_FILE`, `BUSY`
   */
  unlock(address: Buffer, passphrase: string, milliseconds: number): Promise<boolean>

  /** Forgets the key of an unlocked account; false when it was not unlocked. */
  lock(address: Buffer): boolean

  /** The signer of an unlocked account; null when it is locked or unknown. */
  signer(address: Buffer): Signer | null

  /**
   * Provides the signer of a stored account, whether unlocked or not, until `use` resolves.
   * @throws WalletError `UNKNOWN_ACCOUNT`, `WRONG_PASSPHRASE`, `KEY_FILE`, `BUSY`
   */
  withPassphrase<T>(address: Buffer, passphrase: string, use: (signer: Signer) => Promise<T>): Promise<T>

  /** Runs the actions of one account sequentially: its next nonce depends on earlier ones. */
  serialized<T>(address: Buffer, action: () => Promise<T>): Promise<T>

  /** Wipes every key from memory. */
  close(): void
}
