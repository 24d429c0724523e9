import type { ChainSpec } from '../../native/addon/index.d.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { toNativeSpec } from '../config/networkSpec.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/** The network as the native core holds it. One per thread: it cannot be sent to another. */
export type NativeChainSpec = ChainSpec

/** Hands a network to the native core. */
export function createNativeChainSpec(network: NetworkSpec): NativeChainSpec {
  return native(() => new addon.ChainSpec(toNativeSpec(network)))
}
