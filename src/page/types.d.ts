/** Answers of the node as far as the page reads them. QUANTITY and DATA are 0x-hex. */

export interface Block {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly miner: string
  readonly difficulty: string
  readonly totalDifficulty: string
  readonly extraData: string
  readonly size: string
  readonly gasLimit: string
  readonly gasUsed: string
  readonly timestamp: string
  readonly transactions: readonly (string | Transaction)[]
  readonly uncles: readonly string[]
  readonly minimumGasPrice: string | null
  readonly paidFees: string
  readonly stateRoot: string
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly sha3Uncles: string
  readonly hashForMergedMining: string
  readonly bitcoinMergedMiningHeader: string
  readonly bitcoinMergedMiningCoinbaseTransaction: string
  readonly bitcoinMergedMiningMerkleProof: string
  readonly rskPteEdges: readonly number[] | null
}

export interface Transaction {
  readonly hash: string
  readonly nonce: string
  readonly blockHash: string | null
  readonly blockNumber: string | null
  readonly transactionIndex: string | null
  readonly from: string
  readonly to: string | null
  readonly gas: string
  readonly gasPrice: string
  readonly value: string
  readonly input: string
}

export interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logIndex: string
}

/** A token's description of itself. */
export interface Token {
  readonly symbol: string
  readonly decimals: number
}

/** Outcome of a transaction, or that it has none yet. */
export type Outcome = 'success' | 'failed' | 'waiting'

export interface Receipt {
  readonly gasUsed: string
  readonly contractAddress: string | null
  readonly logs: readonly Log[]
  readonly status: string
  readonly effectiveGasPrice: string
}

/** One call of `trace_transaction`. */
export interface Trace {
  readonly type: string
  readonly action: {
    readonly callType?: string
    readonly from?: string
    readonly to?: string
    readonly value?: string
    readonly gas?: string
    readonly input?: string
    readonly init?: string
    readonly address?: string
    readonly refundAddress?: string
    readonly balance?: string
  }
  readonly result?: {
    readonly gasUsed?: string
    readonly output?: string
    readonly address?: string
  } | null
  readonly error?: string
  readonly traceAddress: readonly number[]
  readonly subtraces: number
}

/** A JSON schema as far as the node's document of methods uses it. */
export interface Schema {
  readonly type?: string
  readonly title?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/** A parameter of a method. */
export interface MethodParam {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

/** A method of the OpenRPC document. */
export interface Method {
  readonly name: string
  readonly description: string
  readonly params: readonly MethodParam[]
  readonly result: { readonly schema: Schema }
}

/** The sums of what was asked: requests that were let through, their cost, and those over a limit. */
export interface UsageSums {
  readonly requests: number
  readonly cost: number
  readonly bytes: number
  readonly errors: number
  readonly refused: number
}

/** A call or an estimate that failed, as `evm_getFailedCalls` reports it. */
export interface FailedCall {
  readonly number: number
  /** Seconds since 1970. */
  readonly time: number
  readonly method: string
  readonly block: string
  readonly from: string
  readonly to: string | null
  readonly implementation: string | null
  readonly value: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly error: string
  /** Data of its revert; null where it failed otherwise. */
  readonly output: string | null
  readonly console: readonly string[]
  readonly moreConsole: number
}

/** The use of an API key as `GET /<API_KEY>/usage` reports it. */
export interface Usage {
  readonly id: string
  readonly name: string
  readonly timezone: string
  readonly day: string
  /** Until the day ends. */
  readonly secondsLeft: number
  /** Null where there is no limit. */
  readonly limits: {
    readonly rate: number | null
    readonly burst: number | null
    readonly dailyQuota: number | null
    readonly concurrency: number | null
    readonly sockets: number | null
    readonly subscriptions: number | null
  }
  readonly left: { readonly rate: number | null; readonly dailyQuota: number | null }
  readonly open: { readonly requests: number; readonly sockets: number; readonly subscriptions: number }
  readonly today: UsageSums
  readonly days: readonly (UsageSums & {
    readonly day: string
    readonly methods: readonly (UsageSums & { readonly method: string })[]
  })[]
}

/** A federation as `rsk_getBridgeStatus` reports it; amounts are satoshi. */
export interface Federation {
  readonly address: string
  readonly format: string
  readonly threshold: string
  readonly members: readonly FederationMember[]
  readonly redeemScript: string
  readonly creationBlock: string
  readonly creationTime: string
  readonly activationBlock?: string
  readonly balance?: string
  readonly outputs?: string
  readonly migration?: { readonly fromBlock: string; readonly endBlock: string }
  readonly validation?: {
    readonly endBlock: string
    readonly stage: string
    readonly transaction: string | null
    readonly signatures: Signatures | null
  }
}

export interface FederationMember {
  readonly address: string
  readonly btcKey: string
  readonly rskKey: string
  readonly mstKey: string
}

export interface Signatures {
  readonly needed: string
  readonly missing: string
  readonly signers: readonly string[]
}

/** A Bitcoin transaction that waits. Its id is null where signatures will change it. */
export interface WaitingPegout {
  readonly transactionHash: string | null
  readonly bitcoinTransaction: string | null
  readonly inputs: string
  readonly outputs: readonly {
    readonly address: string | null
    readonly amount: string
    readonly toFederation: boolean
  }[]
  readonly raw: string
  readonly creationBlock?: string
  readonly confirmationBlock?: string
  readonly remainingBlocks?: string
  readonly signatures?: Signatures
}

/** The answer of `rsk_getBridgeStatus`. */
export interface BridgeStatus {
  readonly blockNumber: string
  readonly bitcoin: { readonly height: string; readonly hash: string; readonly timestamp: string }
  readonly federations: {
    readonly active: Federation
    readonly retiring: Federation | null
    readonly next: Federation | null
    readonly proposed: Federation | null
    readonly pending: { readonly hash: string; readonly members: readonly FederationMember[] } | null
  }
  readonly lockedWei: string
  readonly pegin: {
    readonly minimum: string
    readonly confirmations: string
    readonly lockingCap: string | null
    readonly belowCap: string | null
  }
  readonly pegout: {
    readonly minimum: string
    readonly feePerKb: string
    readonly estimatedFee: string | null
    readonly confirmations: string
    readonly nextBatchBlock: string | null
    readonly requests: readonly {
      readonly transactionHash: string | null
      readonly destination: string
      readonly amount: string
    }[]
    readonly waitingForConfirmations: readonly WaitingPegout[]
    readonly waitingForSignatures: readonly WaitingPegout[]
  }
}

/** A peer of `rsk_getPeerStatus`. */
export interface PeerStatus {
  /** The first digits of the node id. */
  readonly id: string
  readonly client: string
  readonly inbound: boolean
  readonly number: string | null
  readonly connectedSeconds: string
  readonly bytesIn: string
  readonly bytesOut: string
  readonly score: number
  readonly latency: string | null
}

/** The answer of `rsk_getPeerStatus`, which is null for a node without peers. */
export interface NetworkStatus {
  readonly listening: boolean
  readonly knownNodes: string | null
  readonly bytesIn: string
  readonly bytesOut: string
  readonly clockBehind: string | null
  readonly clockAhead: string | null
  /** True when the thread of peers failed and does not run again yet. */
  readonly isDown: boolean
  readonly sync: {
    readonly stage: string
    readonly syncing: boolean
    readonly startingBlock: string
    readonly currentBlock: string
    readonly highestBlock: string
    readonly checkedHeader: string
    readonly headersPerSecond: number
    readonly blocksPerSecond: number
    readonly secondsLeft: string | null
    readonly peersUsed: string
  }
  readonly halted: {
    readonly cause: string
    readonly number: string | null
    readonly hash: string | null
    readonly rule: string | null
    readonly expected: string | null
    readonly found: string | null
  } | null
  readonly peers: readonly PeerStatus[]
}

/** A peer of `admin_peers`, as far as the page reads it. */
export interface AdminPeer {
  readonly id: string
  readonly network: { readonly remoteAddress: string }
}

/** The page's knowledge of the newest block. */
export interface Head {
  readonly number: bigint
  readonly hash: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** Ways in which news of the head come in. */
export type FeedState = 'connecting' | 'live' | 'polling' | 'offline'

/** The context that views ask and know. */
export interface Context {
  readonly client: import('./rpc/client.js').RpcClient
  readonly endpoint: import('./rpc/endpoint.js').Endpoint
  readonly methods: import('./rpc/methods.js').Methods
  /** Addresses that the node sends from without their keys, on a chain for development. */
  readonly impersonated: Set<string>
  /** Snapshots that were taken on this page, the oldest first. */
  readonly snapshots: { readonly id: string; readonly block: bigint }[]
  readonly contracts: import('./abi/contracts.js').Contracts
  /** Artifacts of the project that the node knows. */
  readonly project: import('./abi/project.js').Project
  readonly tokens: import('./rpc/tokens.js').TokenBook
  /** True when anybody may change the chain at will: it is one for development, and this page is let to it. */
  readonly isDevelopment: boolean
  readonly chainId: number
  readonly clientVersion: string
  /** The newest head that is known; null until one is. */
  head(): Head | null
  /** The key was refused: forgets it and asks for another one. */
  leave(): void
  /** Forgets the key, as its owner wishes. */
  signOut(): void
}

/** The form of a view. */
export interface View {
  readonly title: string
  readonly content: readonly Node[]
  /** Called for each new head while the view is shown. */
  readonly onHead?: (head: Head) => void
}

/** Makes a view of the parts of the address behind its name. */
export type ViewMaker = (context: Context, parts: readonly string[], signal: AbortSignal) => Promise<View>

/** The attributes of an element that are set. */
export interface Attributes {
  readonly on?: Readonly<Record<string, (event: Event) => void>>
  readonly [name: string]: string | number | boolean | null | undefined | object
}

/** The children that an element may hold: strings become text, never markup. */
export type Child = Node | string | null | readonly Child[]
