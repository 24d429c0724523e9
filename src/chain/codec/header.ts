import { keccak256 } from '../../native/crypto.ts'
import { bytesToBigInt, signedBytesToBigInt } from '../../util/bytes.ts'
import { encodeHeader } from './headerEncoder.ts'
import {
  encodeExtension,
  encodeExtensionData,
  encodeExtensionMessage,
  type HeaderExtension,
  hashExtension,
} from './headerExtension.ts'
import type { HeaderFields } from './headerFields.ts'
import { hashForMergedMining, mergedMiningBase, readForkDetectionData } from './mergedMiningHash.ts'

const LATEST_TIME = BigInt(Number.MAX_SAFE_INTEGER)

/** A block header. Immutable; encodings and hashes are computed when first asked for. */
export class BlockHeader {
  readonly fields: HeaderFields
  #hash: Buffer | undefined
  #hashHex: string | undefined
  #full: Buffer | undefined
  #extensionData: Buffer | undefined
  #mergedMiningBase: Buffer | undefined

  constructor(fields: HeaderFields) {
    this.fields = fields
  }

  get number(): number {
    return this.fields.number
  }

  get parentHash(): Buffer {
    return this.fields.parentHash
  }

  /** Seconds, for comparisons with a clock: later times than a number holds count as the last that it does. */
  get timestamp(): number {
    const { timestamp } = this.fields
    return timestamp > LATEST_TIME ? Number.MAX_SAFE_INTEGER : Number(timestamp)
  }

  /** Unsigned gas limit. */
  get gasLimit(): bigint {
    return bytesToBigInt(this.fields.gasLimitBytes)
  }

  /** Absent is zero. */
  get difficulty(): bigint {
    return signedBytesToBigInt(this.fields.difficultyBytes)
  }

  /** True when any of the three Bitcoin fields is there; only then they are written. */
  get hasMiningFields(): boolean {
    const { fields } = this
    return (
      fields.bitcoinMergedMiningHeader.length > 0 ||
      fields.bitcoinMergedMiningMerkleProof.length > 0 ||
      fields.bitcoinMergedMiningCoinbaseTransaction.length > 0
    )
  }

  /** Block hash, 32 bytes (consensus.md §2.4). */
  get hash(): Buffer {
    this.#hash ??= keccak256(this.encodedForHash)
    return this.#hash
  }

  /**
   * Takes over the hash by which it was found, so that it need not be computed.
   * @param hash copied, because its memory may be part of something larger
   */
  foundBy(hash: Uint8Array): this {
    const known = Buffer.alloc(hash.length)
    known.set(hash)
    this.#hash = known
    return this
  }

  /** Block hash as 64 hex digits: the key of in-memory maps. */
  get hashHex(): string {
    this.#hashHex ??= this.hash.toString('hex')
    return this.#hashHex
  }

  /** The encoding used on the wire, in the store and in the uncle list. */
  get encodedFull(): Buffer {
    this.#full ??= encodeHeader(this, { compressed: false, bitcoinHeader: true, proofAndCoinbase: true })
    return this.#full
  }

  /** The encoding of header messages: an extension hash instead of bloom, edges and base event. */
  get encodedCompressed(): Buffer {
    return encodeHeader(this, { compressed: true, bitcoinHeader: true, proofAndCoinbase: true })
  }

  /** Preimage of {@link hash}. */
  get encodedForHash(): Buffer {
    return encodeHeader(this, {
      compressed: true,
      bitcoinHeader: true,
      proofAndCoinbase: !this.fields.rskip92,
    })
  }

  /** The answer of rsk_getRawBlockHeaderByHash: from RSKIP351 on its hash is not the block hash. */
  get encodedRaw(): Buffer {
    return encodeHeader(this, {
      compressed: false,
      bitcoinHeader: true,
      proofAndCoinbase: !this.fields.rskip92,
    })
  }

  /** Preimage of the base of {@link hashForMergedMining}. */
  get encodedForMergedMining(): Buffer {
    return encodeHeader(this, { compressed: true, bitcoinHeader: false, proofAndCoinbase: false })
  }

  /** Extension, or null of a version 0 header and of one that came in compressed form. */
  get extension(): HeaderExtension | null {
    const { version, logsBloom, edges, baseEvent } = this.fields
    return version === 0 || logsBloom === null ? null : { version, logsBloom, edges, baseEvent }
  }

  /** Element 6 of the compressed form; null of version 0. */
  get extensionData(): Buffer | null {
    if (this.fields.compressedExtension !== null) return this.fields.compressedExtension
    const { extension } = this
    if (extension === null) return null
    this.#extensionData ??= encodeExtensionData(extension)
    return this.#extensionData
  }

  /** Encoded extension, its hash, and its message form; null where there is no extension. */
  get encodedExtension(): { encoded: Buffer; hash: Buffer; message: Buffer } | null {
    const { extension } = this
    if (extension === null) return null
    return {
      encoded: encodeExtension(extension),
      hash: hashExtension(extension),
      message: encodeExtensionMessage(extension),
    }
  }

  /**
   * Completes a header that came in compressed form with the extension that this form leaves out (RSKIP351,
   * consensus.md §2.3).
   * @returns null when it is not the extension that the header names
   */
  withExtension({ version, logsBloom, edges, baseEvent }: HeaderExtension): BlockHeader | null {
    if (version !== this.fields.version) return null
    const full = this.with({ logsBloom, edges, baseEvent, compressedExtension: null })
    return full.hash.equals(this.hash) ? full : null
  }

  /** The beginning of {@link hashForMergedMining}, 32 bytes. @throws CodecError when the UMM root has a wrong length */
  get mergedMiningBase(): Buffer {
    this.#mergedMiningBase ??= mergedMiningBase(this)
    return this.#mergedMiningBase
  }

  /**
   * What the Bitcoin coinbase commits to, 32 bytes.
   * @throws CodecError when the UMM root has a wrong length or the fork detection data is not there
   */
  hashForMergedMining(): Buffer {
    return hashForMergedMining(this)
  }

  /**
   * Fork detection data, 12 bytes, or empty where the block carries none (RSKIP110).
   * @throws CodecError when the coinbase does not hold it
   */
  forkDetectionData(): Buffer {
    return readForkDetectionData(this)
  }

  /** This header with some fields replaced. */
  with(changes: Partial<HeaderFields>): BlockHeader {
    return new BlockHeader({ ...this.fields, ...changes })
  }
}
