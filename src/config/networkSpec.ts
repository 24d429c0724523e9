import type { ActivationHeights } from './activations.ts'
import type { BridgeSpec } from './networks/bridge/types.ts'
import type { NetworkName } from './networks/names.ts'

/** Bytes as `0x` and lower-case hex digits. */
export type Hex = `0x${string}`

/** Parameters of a network (consensus.md §1.1): data, no behaviour. */
export type NetworkSpec = {
  readonly name: NetworkName
  /** Chain id of signatures and of CHAINID. */
  readonly chainId: number
  readonly p2p: PeerSpec
  readonly difficulty: DifficultySpec
  readonly timestamps: TimestampSpec
  /** Gas reserved for the sequential sublist of a block (RSKIP144). */
  readonly minimumSequentialGas: number
  /** True when the gas limit of a block may be any, whatever that of its parent: a rule that no public network has. */
  readonly jumpsGasLimit?: boolean
  readonly remasc: RemascSpec
  readonly bridge: BridgeSpec
  readonly genesis: GenesisSpec
  readonly mining: MiningSpec
  readonly activationHeights: ActivationHeights
  /** The block of the network that a development chain goes on from; absent where the chain is the network's. */
  readonly fork?: ForkSpec
}

/** The block that a fork goes on from. Blocks above it have no proof of work. */
export type ForkSpec = {
  readonly number: number
  /** Chain id of the blocks above it; absent where it is the network's. */
  readonly chainId?: number
}

/** Parameters that peers of a network share (p2p.md §0). */
export type PeerSpec = {
  readonly networkId: number
  /** Port of peers, TCP and UDP alike; null where the reference sets none. */
  readonly defaultPort: null | number
  /** True when nodes discover others by themselves; otherwise peers have to be configured. */
  readonly discovery: boolean
  /** Bootstrap nodes of discovery. */
  readonly bootstrap: readonly BootstrapNode[]
  /** Name of the network in the client names of its nodes. */
  readonly phrase: string
}

/** A node that is named by its host alone. */
export type BootstrapNode = {
  readonly host: string
  /** UDP and TCP. */
  readonly port: number
}

/** Constants of the difficulty rule (consensus.md §4.4). */
export type DifficultySpec = {
  /** Target block time, in seconds. */
  readonly blockTimeSeconds: number
  readonly minimum: bigint
  /** Minimum from RSKIP290 on; equal to `minimum` on networks that the rule does not change. */
  readonly minimumRskip290: bigint
  /** Difficulty at which blocks without merged mining were possible before RSKIP98. */
  readonly fallbackMining: bigint
  readonly divisor: bigint
  /** Divisor from RSKIP156 on; equal to `divisor` on networks that the rule does not change. */
  readonly divisorRskip156: bigint
}

/** Limits of block timestamps (consensus.md §4.3 rule 7, §3.4), in seconds. */
export type TimestampSpec = {
  /** Most seconds that a block may be ahead of the clock; null disables every check of timestamps. */
  readonly futureLimitSeconds: null | number
  /** Largest distance between the block and its Bitcoin header (RSKIP179). */
  readonly bitcoinDistanceSeconds: number
  /** The same from RSKIP297 on; equal on networks that the rule does not change. */
  readonly bitcoinDistanceSecondsRskip297: number
}

/** Constants of the reward contract (consensus.md §8). */
export type RemascSpec = {
  /** Blocks between a block and the payment of its fees. */
  readonly maturity: number
  /** Blocks over which the fees of one block are spread. */
  readonly syntheticSpan: number
  readonly labsAddress: Hex
  readonly labsAddressRskip218: Hex
}

/** Header fields and accounts of block 0 (consensus.md §1.4). */
export type GenesisSpec = {
  readonly hash: Hex
  readonly coinbase: Hex
  /** Bytes as encoded in the header, leading zeros included. */
  readonly difficulty: Hex
  readonly gasLimit: Hex
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly extraData: Hex
  /** Wei. */
  readonly minimumGasPrice: bigint
  /** Written into the header instead of the root of the accounts. */
  readonly stateRoot: null | Hex
  readonly accounts: readonly GenesisAccount[]
}

/** An account of the genesis state; its nonce is 0 and it has no code. */
export type GenesisAccount = {
  readonly address: Hex
  /** Wei. */
  readonly balance: bigint
}

/** Defaults of a block producer of the network. */
export type MiningSpec = {
  /** Target of the gas limit. */
  readonly targetGasLimit: number
  /** Wallet accounts: the private key is Keccak-256 of the seed's UTF-8 bytes. */
  readonly walletSeeds: readonly string[]
  /** Seed of the account that receives rewards when no coinbase is configured; null where none is known. */
  readonly coinbaseSeed: null | string
}

/** Overrides of a network in a {@link createNetworkSpec} of vectors and tests. */
export type NetworkChanges = {
  /** Activation heights that override those of the network; the others stay. */
  readonly activationHeights?: Readonly<Partial<ActivationHeights>>
  readonly genesis?: Readonly<Partial<GenesisSpec>>
}

/** A network with other activation heights or another genesis. */
export function createNetworkSpec(base: NetworkSpec, changes: NetworkChanges): NetworkSpec {
  return {
    ...base,
    genesis: { ...base.genesis, ...changes.genesis },
    activationHeights: { ...base.activationHeights, ...changes.activationHeights },
  }
}

/** The JSON document that `ChainSpec::from_json` of `native/crates/primitives` reads. */
export function toNativeSpec(spec: NetworkSpec): string {
  const { name, chainId, minimumSequentialGas, remasc, bridge, activationHeights } = spec
  return JSON.stringify({ name, chainId, minimumSequentialGas, remasc, bridge, activationHeights })
}

/**
 * True when the chain is one for development, which users may change at will.
 * @param chain the name of the network, and anything else than null for a fork of it
 */
export function isDevelopmentNetwork({
  name,
  fork = null,
}: Pick<NetworkSpec, 'name'> & { readonly fork?: unknown }): boolean {
  return name === 'regtest' || name === 'devnet' || fork !== null
}
