import type { NetworkSpec } from '../networkSpec.ts'
import { devnet } from './devnet.ts'
import { main } from './main.ts'
import type { NetworkName } from './names.ts'
import { regtest } from './regtest.ts'
import { testnet } from './testnet.ts'
import { testnet2 } from './testnet2.ts'

const NETWORKS: Readonly<Record<NetworkName, NetworkSpec>> = { main, testnet, testnet2, devnet, regtest }

/** The network of the name. */
export function networkByName(name: NetworkName): NetworkSpec {
  return NETWORKS[name]
}
