import type { SignedTransaction, Transaction } from '../../src/chain/codec/transaction.ts'
import { addressOfPrivateKey, keccak256, signHash } from '../../src/native/crypto.ts'
import { bigIntToBytes } from '../../src/util/bytes.ts'
import { signTransaction } from '../../src/wallet/signing.ts'

/** Chain id of regtest. */
export const CHAIN_ID = 33
/** Wei; above the minimum of the development chain, which is zero. */
const GAS_PRICE = 1_000_000n

/** A transaction to sign. */
export interface Action {
  /** 20 bytes; absent for a creation. */
  readonly to?: Buffer
  readonly value?: bigint
  readonly data?: Buffer
  readonly gas: bigint
}

/** An account that signs consecutive transactions. */
export class Sender {
  readonly address: Buffer
  readonly #key: Buffer
  #nonce = 0n

  /** @param seed text whose Keccak-256 is the private key */
  constructor(seed: string) {
    this.#key = keccak256(Buffer.from(seed))
    this.address = addressOfPrivateKey(this.#key)
  }

  get nonce(): bigint {
    return this.#nonce
  }

  /** Leaves transactions out, as if they had been signed. */
  skip(count: number): void {
    this.#nonce += BigInt(count)
  }

  /** Signs the next transaction of the account. */
  send({ to = Buffer.alloc(0), value = 0n, data = Buffer.alloc(0), gas }: Action): SignedTransaction {
    const signer = { address: this.address, sign: (hash: Buffer) => signHash(hash, this.#key) }
    const transaction: Transaction = signTransaction(signer, {
      nonceBytes: bigIntToBytes(this.#nonce),
      gasPrice: GAS_PRICE,
      gasLimitBytes: bigIntToBytes(gas),
      to,
      value,
      data,
      chainId: CHAIN_ID,
    })
    this.#nonce += 1n
    return { transaction, sender: this.address }
  }
}
