/** A block that waits for its proof of work (facts/mining.md §2). */
export interface MiningWork {
  /** What a Bitcoin coinbase has to carry, 32 bytes. */
  readonly hashForMergedMining: Buffer
  /** Largest hash of a Bitcoin header that is a solution, 32 bytes big-endian. */
  readonly target: Buffer
  /** Wei. */
  readonly fees: bigint
  /** Whether this reader is the first that should tell its miners. */
  readonly notify: boolean
  readonly parentHash: Buffer
}

/** A solution in one of the three forms in which pools send it (facts/mining.md §5). */
export type MiningSolution =
  | { readonly kind: 'block'; readonly block: Buffer }
  | {
      readonly kind: 'transactions'
      /** 80 bytes. */
      readonly header: Buffer
      /** Without witness. */
      readonly coinbase: Buffer
      /** Of all transactions, the coinbase first, in display order. */
      readonly hashes: readonly Buffer[]
    }
  | {
      readonly kind: 'partialMerkle'
      readonly header: Buffer
      readonly coinbase: Buffer
      /** The coinbase's, then its siblings upwards, in internal order. */
      readonly hashes: readonly Buffer[]
      /** Transactions of the block. */
      readonly count: number
    }

/** Words of an import that pools know. */
export type ImportWord = 'IMPORTED_BEST' | 'IMPORTED_NOT_BEST' | 'EXIST' | 'NO_PARENT' | 'INVALID_BLOCK'

/** What became of a solution. */
export type SolutionOutcome =
  | { readonly status: 'imported'; readonly word: ImportWord; readonly hash: Buffer; readonly number: number }
  /** The text says why (facts/mining.md §5). */
  | { readonly status: 'refused'; readonly reason: string }

/** Work in the form of `eth_getWork`, 32 bytes each. */
export interface HeaderWork {
  readonly headerHash: Buffer
  readonly seedHash: Buffer
  readonly target: Buffer
}

/** Merged mining from outside, served by the chain thread. */
export interface MiningCommands {
  /** The newest work. */
  work(): Promise<MiningWork>
  submit(solution: MiningSolution): Promise<SolutionOutcome>
  headerWork(): Promise<HeaderWork>
  /**
   * Whether the solution is valid and its block was imported.
   * @param nonce 8 bytes
   */
  submitHeaderWork(nonce: Buffer, headerHash: Buffer, mixDigest: Buffer): Promise<boolean>
  /**
   * Notes the hash rate of a miner.
   * @param rate hashes per second
   * @param miner 32 bytes
   */
  submitHashrate(rate: bigint, miner: Buffer): Promise<boolean>
}
