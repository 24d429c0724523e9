import type { Transaction } from '../../src/chain/codec/transaction.ts'
import { addressOfPrivateKey, signHash } from '../../src/native/crypto.ts'
import { bigIntToBytes } from '../../src/util/bytes.ts'
import { privateKeyOfSeed } from '../../src/wallet/privateKey.ts'
import { signTransaction } from '../../src/wallet/signing.ts'

/** Somebody who signs transactions of tests. */
export interface TestAccount {
  readonly address: Buffer
  readonly privateKey: Buffer
}

/** What a test says about a transaction; the rest is a transfer of 1 wei on regtest. */
export interface TestTransaction {
  readonly from?: TestAccount
  readonly nonce?: bigint
  /** null leaves its element empty. */
  readonly gasPrice?: bigint | null
  readonly gasLimit?: bigint
  /** Empty creates a contract. */
  readonly to?: Buffer
  readonly value?: bigint
  readonly data?: Buffer
  readonly chainId?: number
  /** In place of the bytes of the nonce. */
  readonly nonceBytes?: Buffer
  /** In place of the bytes of the gas limit. */
  readonly gasLimitBytes?: Buffer
}

/** The account of a wallet seed; `cow` to `cow9` are funded on regtest. */
export function accountOfSeed(seed: string): TestAccount {
  const privateKey = privateKeyOfSeed(seed)
  return { address: addressOfPrivateKey(privateKey), privateKey }
}

/** The first funded account of regtest. */
export const COW: TestAccount = accountOfSeed('cow')

/** An account that does not exist until somebody pays it. */
export const STRANGER: TestAccount = accountOfSeed('stranger')

/** A signed transaction. */
export function signedTransaction(given: TestTransaction = {}): Transaction {
  const { address, privateKey } = given.from ?? COW
  const signer = { address, sign: (hash: Buffer) => signHash(hash, privateKey) }
  return signTransaction(signer, {
    nonceBytes: given.nonceBytes ?? bigIntToBytes(given.nonce ?? 0n),
    gasPrice: given.gasPrice === undefined ? 1n : given.gasPrice,
    gasLimitBytes: given.gasLimitBytes ?? bigIntToBytes(given.gasLimit ?? 21_000n),
    to: given.to ?? STRANGER.address,
    value: given.value ?? 1n,
    data: given.data ?? Buffer.alloc(0),
    chainId: given.chainId ?? 33,
  })
}
