/** Names of the networks in */
export const NETWORK_NAMES = ['main', 'testnet', 'testnet2', 'devnet', 'regtest'] as const

/** Name of a network. */
export type NetworkName = (typeof NETWORK_NAMES)[number]
