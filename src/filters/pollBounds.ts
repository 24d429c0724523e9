/**
 * Blocks that are kept for polls. A filter that is polled less often than so many blocks come is removed: better no
 * answer than one with a gap.
 */
export const MAX_BLOCKS = 32_768
/** Pending transactions that are kept for polls. */
export const MAX_PENDING = 65_536
/** Blocks of one poll of a filter for logs; the next one goes on behind them. */
export const BLOCKS_PER_POLL = 2000
/** Pending transactions that a poll of a filter of a fleet reports at once. */
export const HASHES_PER_POLL = 16_384
/** Milliseconds between searches for filters that are over their time. */
export const SWEEP_PERIOD = 1000
