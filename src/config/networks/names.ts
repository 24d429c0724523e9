/** Names of the networks in options, files and the data directory. */
export const NETWORK_NAMES = ['main', 'testnet', 'testnet2', 'devnet', 'regtest'] as const

/** Name of a network. */
export type NetworkName = (typeof NETWORK_NAMES)[number]
