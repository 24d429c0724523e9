/** Encoding version of a header: 0, 1 (RSKIP351) or 2 (RSKIP535). */
export type HeaderVersion = 0 | 1 | 2

/** The fields of a header. Byte strings are opaque; absent ones are empty unless null is documented. */
export interface HeaderFields {
  readonly version: HeaderVersion
  readonly parentHash: Buffer
  readonly unclesHash: Buffer
  /** 20 bytes, or empty. */
  readonly coinbase: Buffer
  readonly stateRoot: Buffer
  readonly txTrieRoot: Buffer
  readonly receiptTrieRoot: Buffer
  /** null when the header came in compressed form and its extension is not known. */
  readonly logsBloom: Buffer | null
  /** `[version, extension hash]` as received; only of a header that came in compressed form. */
  readonly compressedExtension: Buffer | null
  /** Signed big-endian, encoded unchanged: genesis keeps leading zeros, absent is empty. */
  readonly difficultyBytes: Buffer
  readonly number: number
  /** Unsigned big-endian, encoded unchanged. */
  readonly gasLimitBytes: Buffer
  readonly gasUsed: bigint
  /** Seconds, up to 63 bits: development networks check no times. */
  readonly timestamp: bigint
  readonly extraData: Buffer
  /** Wei. */
  readonly paidFees: bigint
  /** Wei; may be negative; null when absent. */
  readonly minimumGasPrice: bigint | null
  readonly uncleCount: number
  /** null before RSKIPUMM. */
  readonly ummRoot: Buffer | null
  /** Ends of the parallel sublists, signed 16 bits; null where they are not written (RSKIP144). */
  readonly edges: readonly number[] | null
  /** null before RSKIP535. */
  readonly baseEvent: Buffer | null
  readonly bitcoinMergedMiningHeader: Buffer
  readonly bitcoinMergedMiningMerkleProof: Buffer
  readonly bitcoinMergedMiningCoinbaseTransaction: Buffer
  /** Fork detection data of a header that is being built; empty otherwise (RSKIP110). */
  readonly forkDetectionData: Buffer
  /** RSKIP92: proof and coinbase are left out of the hash. */
  readonly rskip92: boolean
  /** RSKIP110 is active and the block is high enough to carry fork detection data. */
  readonly includesForkDetectionData: boolean
}
