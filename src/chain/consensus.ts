/**
 * Constants of consensus that all networks share and that rules outside the native core read
 * (consensus.md §1.1).
 */

/** Least gas limit of a block. */
export const MIN_BLOCK_GAS_LIMIT = 3_000_000n

/** Divisor of the largest change of a block's gas limit from its parent's. */
export const GAS_LIMIT_BOUND_DIVISOR = 1024n

/** Most bytes of a header's extra data. */
export const MAX_EXTRA_DATA_BYTES = 32

/** Most uncles of a block. */
export const MAX_UNCLES = 10

/** Generations back that an uncle may branch off. */
export const UNCLE_GENERATIONS = 7

/** Most gas of a transaction; a rule of the pool only. */
export const MAX_TRANSACTION_GAS = 2n ** 60n

/** Parallel sublists of a block (RSKIP144). */
export const PARALLEL_SUBLISTS = 2

/** Most bytes of the code that creates a contract (RSKIP438). */
export const MAX_INIT_CODE_BYTES = 49_152
