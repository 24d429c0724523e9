import { keccak256 } from '../../native/crypto.ts'
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../../util/bytes.ts'
import { REMASC_ADDRESS } from './constants.ts'
import { encodeStrings, nonEmptyAmount, type RlpString } from './rlpWriter.ts'

/** ECDSA signature of a transaction. */
export interface TransactionSignature {
  /** 27 or 28. */
  readonly v: number
  readonly r: bigint
  readonly s: bigint
}

/** The fields of a transaction (consensus.md §5.1). Absent byte strings are empty. */
export interface TransactionFields {
  /** As decoded. */
  readonly nonceBytes: Buffer
  /** Wei; null when the element was empty. */
  readonly gasPrice: bigint | null
  /** As decoded; empty when absent. */
  readonly gasLimitBytes: Buffer
  /** 20 bytes; empty for a creation. */
  readonly to: Buffer
  /** Wei. */
  readonly value: bigint
  readonly data: Buffer
  /** Signed byte; 0 for a signature that is valid on every chain. */
  readonly chainId: number
  readonly signature: TransactionSignature | null
}

/** Gas limits that do not fit in 63 bits saturate here when they are longer than eight bytes. */
const MAX_GAS = (1n << 63n) - 1n
const MIN_V = 27
const CHAIN_ID_OFFSET = 35

/**
 * A transaction. Immutable; encodings and hashes are computed when first asked for.
 * The sender is not part of it: see `recoverSenders`.
 */
export class Transaction {
  readonly fields: TransactionFields
  /** True when this is the reward transaction that ends a block (consensus.md §5.3). */
  readonly isRemasc: boolean
  readonly #source: Buffer | null
  #encoded: Buffer | undefined
  #hash: Buffer | undefined
  #hashHex: string | undefined
  #nonce: bigint | undefined
  #gasLimit: bigint | undefined

  /** @param source the element of a block that it was read from */
  constructor(fields: TransactionFields, isRemasc = false, source: Buffer | null = null) {
    this.fields = fields
    this.isRemasc = isRemasc
    this.#source = source
  }

  get nonce(): bigint {
    this.#nonce ??= bytesToBigInt(this.fields.nonceBytes)
    return this.#nonce
  }

  /** Wei; absent is zero. */
  get gasPrice(): bigint {
    return this.fields.gasPrice ?? 0n
  }

  /** Gas limit as unsigned number of any length; absent is zero. */
  get gasLimit(): bigint {
    this.#gasLimit ??= bytesToBigInt(this.fields.gasLimitBytes)
    return this.#gasLimit
  }

  /** Gas limit as execution takes it: null when absent or when eight bytes have the top bit set. */
  get executionGasLimit(): bigint | null {
    const { gasLimitBytes } = this.fields
    if (gasLimitBytes.length === 0) return null
    if (gasLimitBytes.length > 8) return MAX_GAS
    return this.gasLimit > MAX_GAS ? null : this.gasLimit
  }

  get isCreation(): boolean {
    return this.fields.to.length === 0
  }

  /** Canonical RLP: what is hashed, stored and sent; may differ from the bytes it was read from. */
  get encoded(): Buffer {
    this.#encoded ??= encodeStrings([...this.#payload(), ...this.#signature()])
    return this.#encoded
  }

  /** Transaction hash, 32 bytes. */
  get hash(): Buffer {
    this.#hash ??= keccak256(this.encoded)
    return this.#hash
  }

  /** Transaction hash as 64 hex digits: the key of in-memory maps. */
  get hashHex(): string {
    this.#hashHex ??= this.hash.toString('hex')
    return this.#hashHex
  }

  /** True when {@link encoded} is what it was read from. */
  get isAsRead(): boolean {
    return this.#source?.equals(this.encoded) === true
  }

  /**
   * Saves encoding and hashing where another thread found {@link isAsRead}, of the same bytes.
   * @param hash {@link hash}
   */
  setAsRead(hash: Buffer): void {
    if (this.#source === null) return
    this.#encoded = this.#source
    this.#hash = hash
  }

  /** Hash that the sender signed, 32 bytes (consensus.md §5.1). */
  get signingHash(): Buffer {
    const { chainId } = this.fields
    const suffix = chainId === 0 ? [] : [chainId & 0xff, null, null]
    return keccak256(encodeStrings([...this.#payload(), ...suffix]))
  }

  /** The `v` of the encoding: 27 or 28, or including the chain id (EIP-155); 0 when unsigned. */
  get encodedV(): number {
    const { chainId, signature } = this.fields
    if (signature === null) return chainId & 0xff
    return (chainId === 0 ? signature.v : signature.v - MIN_V + CHAIN_ID_OFFSET + 2 * chainId) & 0xff
  }

  #payload(): RlpString[] {
    const { fields } = this
    const nonce = fields.nonceBytes
    return [
      nonce.length === 1 && nonce[0] === 0 ? null : nonce,
      fields.gasPrice === null ? null : nonEmptyAmount(fields.gasPrice),
      fields.gasLimitBytes,
      fields.to,
      fields.value,
      fields.data,
    ]
  }

  #signature(): RlpString[] {
    const { signature } = this.fields
    if (signature === null) return [this.encodedV, null, null]
    return [this.encodedV, nonEmptyAmount(signature.r), nonEmptyAmount(signature.s)]
  }
}

/** A transaction and who signed it. */
export interface SignedTransaction {
  readonly transaction: Transaction
  /** 20 bytes. */
  readonly sender: Buffer
}

/** The reward transaction of a block (consensus.md §5.3). */
export function createRemascTransaction(blockNumber: number): Transaction {
  const nonce = BigInt(blockNumber - 1)
  return new Transaction(
    {
      nonceBytes: bigIntToBytes(nonce),
      gasPrice: 0n,
      gasLimitBytes: Buffer.from([0]),
      to: REMASC_ADDRESS,
      value: 0n,
      data: EMPTY_BYTES,
      chainId: 0,
      signature: null,
    },
    true,
  )
}

/** Address of the contract that a creation transaction creates, from the sender and the nonce as decoded. */
export function contractAddressOf(sender: Uint8Array, nonce: bigint): Buffer {
  return keccak256(encodeStrings([sender, nonce])).subarray(12)
}
