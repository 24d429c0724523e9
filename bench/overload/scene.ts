/** Blocks with few logs in the scene of this bench. */
export const SPARSE_BLOCKS = 2000

/** Of the node: the noisy key's calls take so much gas. */
export const NODE_OPTIONS: readonly string[] = ['--call-gas-cap', '50000000']
