/** Bytes as `0x` and lower-case hex digits. */
type Hex = `0x${string}`

/** Parameters of the Bitcoin network at the other end of the Bridge. */
export type BitcoinSpec = {
  readonly network: 'main' | 'testnet' | 'regtest'
  /** Base58Check versions of the two address kinds. */
  readonly addressVersion: number
  readonly scriptAddressVersion: number
  /** The easiest target, compact form. */
  readonly maxTargetBits: number
  /** Blocks between two adjustments of the difficulty. */
  readonly difficultyInterval: number
  /** First header of the chain, 80 bytes. */
  readonly genesisHeader: Hex
}

/** A minimum in satoshi that RSKIP219 changed. */
type Minimum = { readonly legacy: number; readonly rskip219: number }

/**
 * Bridge and federation constants of a network (bridge.md §6). As JSON this is what `BridgeSpec` of
 * `native/crates/primitives` reads; the meaning of each field is described there.
 */
export type BridgeSpec = {
  readonly bitcoin: BitcoinSpec
  /** Bitcoin blocks on a peg-in, Rootstock blocks on a peg-out. */
  readonly confirmations: { readonly pegin: number; readonly pegout: number }
  readonly minimumPegin: Minimum
  readonly minimumPegout: Minimum
  readonly pegoutFeeGapPercentage: number
  readonly heightIndex: { readonly activation: number; readonly maxDepthBelow: number }
  readonly secondsBetweenReceiveHeader: number
  readonly maxHeaderDepth: number
  readonly maxInputsPerMigration: number
  readonly blocksBetweenPegouts: number
  readonly pegoutIndex: { readonly activation: number; readonly gracePeriod: number }
  readonly tooMuchWorkHeight: null | number
  readonly federation: {
    /** Compressed public keys. */
    readonly genesisKeys: readonly Hex[]
    readonly genesisFormat: 'standard' | 'nonStandardErp' | 'p2shErp' | 'p2shP2wshErp'
    /** In the unit that the network uses as milliseconds; main and test networks wrote seconds. */
    readonly genesisCreationTime: number
    readonly validationPeriod: number
    readonly activationAge: { readonly legacy: number; readonly rskip383: number; readonly rskip419: number }
    readonly migration: { readonly begin: number; readonly end: number; readonly endRskip357: number }
    readonly erpKeys: readonly Hex[]
    readonly erpDelay: number
    readonly oldAddress: string
    readonly hardcodedErpScript: null | Hex
  }
  /** Rootstock addresses with special rights; the zero address for none. */
  readonly authorisers: {
    readonly federationChange: readonly Hex[]
    readonly feePerKb: readonly Hex[]
    readonly lockingCap: readonly Hex[]
    readonly whitelist: readonly Hex[]
    readonly unionAddress: Hex
    readonly unionLockingCap: Hex
    readonly unionPermissions: Hex
  }
  /** Satoshi per 1,000 bytes. */
  readonly feePerKb: { readonly genesis: number; readonly maximum: number }
  /** Satoshi. */
  readonly lockingCap: { readonly initial: number; readonly multiplier: number }
  /** The cap is in wei. */
  readonly union: { readonly address: Hex; readonly initialLockingCap: Hex; readonly multiplier: number }
}
