import { bridgeTestnet } from './testnet.ts'
import type { BridgeSpec } from './types.ts'

/** The second test network shares every Bridge constant with the first. */
export const bridgeTestnet2: BridgeSpec = bridgeTestnet
