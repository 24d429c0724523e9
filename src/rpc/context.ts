import type { TransactionLocation } from '../chain/chainStoreReader.ts'
import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import type { Receipt } from '../chain/codec/receipt.ts'
import type { LogCriteria } from '../chain/logs/logCriteria.ts'
import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { StoredHistory } from '../chain/tables/metadata.ts'
import type { BeyondHead } from '../config/beyondHead.ts'
import type { RevertForm } from '../config/revertForm.ts'
import type { Execution } from '../execution/localExecution.ts'
import type { TransactionTracer } from '../execution/transactionTracer.ts'
import type { FrontEvents } from '../filters/frontEvents.ts'
import type { FleetStatus } from '../fleet/interface.ts'
import type { MineRequest } from '../mining/blockProducer.ts'
import type { EncodedObjectCache } from '../native/encodedObjectCache.ts'
import type { PeerAdmin } from '../p2p/peerAdmin.ts'
import type { PeerNetworkStats } from '../p2p/peers/peerStats.ts'
import type { SyncStats } from '../sync/client/syncStats.ts'
import type { Halt } from '../sync/halt/halt.ts'
import type { EncodedTransaction } from '../txpool/encodedTransaction.ts'
import type { SendOutcome } from '../txpool/interface.ts'
import type { QuotaBalance } from '../txpool/quota.ts'
import type { Wallet } from '../wallet/interface.ts'
import type { EnabledMethods } from './availability.ts'
import type { CommandSignal } from './commandSignal.ts'
import type { DevCommands } from './devCommands.ts'
import type { BelowFork } from './fork/belowFork.ts'
import type { MiningCommands } from './miningCommands.ts'
import type { IntervalUnit } from './params/blockInterval.ts'
import type { DescribeFailure, ExecutionReports, FailedCall } from './reports/executionReports.ts'

/** A value now, or later where another thread has to be asked. */
export type Eventually<T> = T | Promise<T>

/** Limits and switches that methods follow. */
export interface RpcSettings {
  /** Most gas that eth_call may use. */
  readonly callGasCap: bigint
  /** Most gas that eth_estimateGas tries. */
  readonly estimateGasCap: bigint
  /** True when the third parameter of eth_call and eth_estimateGas is taken. */
  readonly stateOverrides: boolean
  /** True when the five methods take `pending` (decisions.md D28). */
  readonly answersPending: boolean
  /** True when calls and estimates without `to` are taken (decisions.md D73). */
  readonly answersCreations: boolean
  /** The form of reverts for callers who want none of their own. */
  readonly revertErrors: RevertForm
  /** The treatment of a range of logs that ends beyond the head, for callers without a wish of their own. */
  readonly beyondHead: BeyondHead
  /** Blocks between `safe` and the head. */
  readonly safeDepth: number
  /** Blocks between `finalized` and the head. */
  readonly finalizedDepth: number
  /** Blocks that eth_getLogs reads without a limit on the number of logs. */
  readonly logBlocks: number
  /** Most logs of a wider range. */
  readonly logCount: number
  /** Bytes of an answer; a search of logs over more blocks than {@link logBlocks} ends when it has more. */
  readonly answerBytes: number
  /** Factor of eth_gasPrice over the head's minimum, in thousandths. */
  readonly gasPriceFactor: bigint
  /** Least answer of eth_gasPrice, wei. */
  readonly gasPriceFloor: bigint
  /** The unit that evm_setIntervalMining counts in. */
  readonly intervalUnit: IntervalUnit
  /**
   * True when the blocks of eth_call and eth_getCode are required and there are no accounts, as on a hosted endpoint.
   */
  readonly hosted: boolean
  /** Blocks of which the node keeps values of states, and of which it keeps tries for proofs; null for all. */
  readonly keptValues: number | null
  readonly keptProofs: number | null
  /** The methods that there are. */
  readonly enabled: EnabledMethods
}

/** The facts that do not change while the node runs. */
export interface NodeInfo {
  readonly chainId: number
  /** Answer of web3_clientVersion. */
  readonly clientVersion: string
  /** Highest version of the wire protocol, answer of eth_protocolVersion. */
  readonly protocolVersion: number
  readonly settings: RpcSettings
}

/** Progress of synchronisation, block numbers. */
export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** State of peers and synchronisation, at most a second old. */
export interface PeeringStatus {
  readonly network: PeerNetworkStats
  readonly sync: SyncStats
  /** Nodes that discovery knows; null while it is off. */
  readonly knownNodes: number | null
  /** The reason why the chain does not go on; null while it does. */
  readonly halted: Halt | null
  /** Seconds by which the clock of this machine is behind those of block makers, at least; null while it is not. */
  readonly clockBehind: number | null
  /** Seconds by which it is ahead of them, about; null while it is not. */
  readonly clockAhead: number | null
  readonly thread: PeerThreadStatus
}

/** State of the thread of peers, which is started again when it fails. */
export interface PeerThreadStatus {
  /** Starts after failures. */
  readonly restarts: number
  /** The failure because of which there is none, for operators; null while it runs. */
  readonly fault: string | null
}

/** The last words of the other parts of the node about themselves. */
export interface NodeStatus {
  readonly listening: boolean
  /** One text per known peer. */
  readonly peers: readonly string[]
  /** null while in sync. */
  readonly syncing: SyncProgress | null
  /** Only of the front thread of a node with peers. */
  readonly peering?: PeeringStatus
  /** Only of the front thread of a member of a fleet, once its fleet thread has reported a status. */
  readonly fleet?: FleetStatus
  /** 20 bytes; null without a miner. */
  readonly coinbase: Buffer | null
  /**
   * What the minimum gas price of coming blocks goes towards, wei: of the thread where methods without a wait run, on a
   * chain whose blocks this node makes.
   */
  readonly priceTarget?: bigint | null
  readonly mining: boolean
}

/** A connected block of a height. */
export interface PlacedBlock {
  readonly hash: Buffer
  readonly canonical: boolean
}

/** Reads of blocks, receipts and indices, all on one snapshot. */
export interface ChainReader {
  /** The head of the snapshot. */
  head(): BlockHeader
  /** Its hash, for which nothing is decoded. */
  headHash(): Buffer
  /**
   * From where on there is history: zeros unless the node began with a snapshot or gives states up.
   * @param isNewest as it is now, and not on the snapshot
   */
  history(isNewest?: boolean): StoredHistory
  /** Header of the canonical block of that height. */
  headerByNumber(number: number): BlockHeader | null
  /** Header of a stored block, canonical or not. */
  headerByHash(hash: Buffer): BlockHeader | null
  /** The same also of a block that a rewind disconnected. */
  storedHeader(hash: Buffer): BlockHeader | null
  /** A stored block, canonical or not. */
  blockByHash(hash: Buffer): Block | null
  /** Hash of the canonical block of that height. */
  hashByNumber(number: number): Buffer | null
  /** Hashes of the canonical blocks of heights, 32 bytes each in one piece. @throws RangeError where there is none */
  hashesByNumber(numbers: readonly number[]): Buffer
  /** Every connected block of a height, the canonical one first. */
  blocksAt(number: number): readonly PlacedBlock[]
  /** Difficulty of the chain up to and with a stored block; null when it is unknown. */
  totalDifficulty(hash: Buffer): bigint | null
  /** Heights, ascending, between two, both included, whose canonical blocks may hold such logs; some at a time. */
  logHeights(criteria: LogCriteria, from: number, to: number): Iterable<readonly number[]>
  /**
   * RLP list of the receipts of a stored block.
   * @throws RpcError `historyNotKept` where they are older than all that are kept
   */
  storedReceipts(block: BlockReference): Buffer | null
  /** RLP `[transactions, uncles]` of a stored block. */
  storedBody(block: BlockReference): Buffer | null
  /**
   * Copies one of the two to a position of an array, if it fits there.
   * @param key of the block (`blockKey`)
   * @returns its length, -1 when it is not stored
   * @throws RpcError as {@link storedReceipts}
   */
  copyStored(part: 'receipts' | 'bodies', key: Buffer, target: Buffer, at: number): number
  /**
   * Receipts of a stored block, one per transaction; null when there are none. @throws RpcError as {@link
   * storedReceipts}
   */
  receipts(block: BlockReference): readonly Receipt[] | null
  /** Position of the transaction in the canonical chain. */
  locateTransaction(hash: Buffer): TransactionLocation | null
  /** Senders of the transactions of a stored block in one piece, 20 bytes each; null when they are not stored. */
  storedSenders(block: BlockReference): Buffer | null
  /** Height of a stored block. */
  heightOf(hash: Buffer): number | null
  /** Senders of the block's transactions, 20 bytes each. */
  senders(block: Block): readonly Buffer[]
}

/** An account. */
export interface AccountView {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
}

/** A cell of an account. */
export interface StoredCell {
  readonly slot: bigint
  readonly value: Buffer
}

/** The state under one root. */
export interface StateView {
  account(address: Buffer): AccountView | null
  /** Empty when there is none. */
  code(address: Buffer): Buffer
  /** Bytes of a cell as stored; null when it is absent. */
  storage(address: Buffer, slot: bigint): Buffer | null
  /**
   * Cells of an account in the order of the trie, bytes as stored.
   * @param after the slot before the first of them; null for the first of all
   * @param limit most of them
   */
  cells(address: Buffer, after: bigint | null, limit: number): readonly StoredCell[]
  /**
   * Proof of an account and some of its cells as JSON text: trie nodes from the state root down (RSKIP251 form).
   * @param mustBeInMemory null instead of waiting for the disk
   */
  prove(address: Buffer, slots: readonly bigint[], mustBeInMemory: boolean): Buffer | null
}

/** Reads of state. */
export interface StateReader {
  /**
   * Root of the state after a block, which need not be there.
   * @throws NativeError `MissingState` when it is not known
   */
  rootAfter(header: BlockHeader): Buffer
  /** True when values of the state after a block can be read, whether or not its trie is kept. */
  hasValues(header: BlockHeader): boolean
  /** The state after a block. Whether it is there shows at the first read: `NativeError` `MissingState`. */
  at(header: BlockHeader): StateView
}

/** The next block as it would be built now; its state can be read like that of any block. */
export interface PendingBlock {
  readonly block: Block
  readonly senders: readonly Buffer[]
  readonly receipts: readonly Receipt[]
}

/** Reads of the transaction pool; most answers are made of the RLP, so that only a few decode it. */
export interface PoolReader {
  /** A pending or queued transaction. */
  transaction(hash: Buffer): Eventually<EncodedTransaction | null>
  /** True when a transaction is pending, not queued. */
  isPending(hash: Buffer): Eventually<boolean>
  /** Nonce after the sender's pending transactions; null when it has none. */
  nextNonce(address: Buffer): Eventually<bigint | null>
  /** Pending transactions in the order of the pool. */
  pending(): Eventually<readonly EncodedTransaction[]>
  /** Transactions that wait for a predecessor, in the order of the pool. */
  queued(): Eventually<readonly EncodedTransaction[]>
  /** The rest of an account's quota; null when it never sent anything, or there is none. */
  quota(address: Buffer): Eventually<QuotaBalance | null>
  block(): Eventually<PendingBlock>
}

/** Accounts of which everybody may send transactions, on a development chain. */
export interface Impersonation {
  add(address: Buffer): void
  /** @returns whether it was there */
  remove(address: Buffer): boolean
  has(address: Buffer): boolean
  /** True when every account is one, from now on. */
  setAll(on: boolean): void
  /** Nobody is impersonated any more. */
  clear(): void
}

/**
 * Requests to the one thread that writes. When one is answered, whatever is read next shows what it did: the thread
 * says what changed before it answers, and readers take a new snapshot of the stores for each batch.
 */
export interface NodeCommands {
  /** Offers a decoded, well-signed transaction to the pool; `encoded` is its RLP as it came. */
  sendTransaction(encoded: Buffer): Promise<SendOutcome>
  /** Builds and mines blocks on the head. @param stop ends that with the block at hand */
  mine(request?: MineRequest, stop?: CommandSignal): Promise<void>
  readonly dev: DevCommands
  /** null where the node serves no miners. */
  readonly mining: MiningCommands | null
}

/**
 * Where other threads say that the running request is to stop: its element of `flags` is then not zero.
 * Long work in the native core reads the same memory.
 */
export interface Interrupt {
  readonly flags: Int32Array
  /** Element of the running request. */
  slot: number
}

/** The network and block of a fork that a node is to become. */
export interface ChainTarget {
  /** Addresses, separated by commas; null for those of the fork that it is. */
  readonly url: string | null
  /** Height in decimal digits, or hash; null for some blocks below the head. */
  readonly block: string | null
}

/** Everything that method handlers may reach. */
export interface NodeContext {
  readonly node: NodeInfo
  readonly interrupt: Interrupt
  /** Filters and subscriptions; only in the front thread. */
  readonly front?: FrontEvents
  status(): NodeStatus
  readonly chain: ChainReader
  /** Parts of answers that are written once. */
  readonly encodedObjects: EncodedObjectCache
  readonly state: StateReader
  readonly execution: Execution
  readonly tracing: TransactionTracer
  readonly pool: PoolReader
  readonly commands: NodeCommands
  /** Peers and bans; only those of the front thread count. */
  readonly peers: PeerAdmin
  /** Senders whose transactions are taken without a signature; only those of the front thread count. */
  readonly impersonated: Impersonation
  /** The network of a fork, with what is below it; absent where the chain is none. */
  readonly belowFork?: BelowFork
  /**
   * Goes on with another chain under the same port, with null with one that is no fork; in the front thread of a
   * development node only.
   * @throws RpcError -32602 where there is no such chain
   */
  readonly replaceChain?: (target: ChainTarget | null) => Promise<void>
  /** Takes reports of executions; absent where nobody looks. */
  readonly reports?: ExecutionReports
  /** Says why a transaction failed, where senders get the reason; in the front thread of a development node only. */
  readonly describeFailure?: DescribeFailure
  /** Artifacts of the user's project, for the node's page; in the front thread of a development node only. */
  readonly projectArtifacts?: () => Promise<{ readonly text: string; readonly left: number }>
  /** The last calls that failed, newest first, for the node's page; in the front thread of a development node only. */
  readonly failedCalls?: () => readonly FailedCall[]
  /** Local keys; null where the wallet is switched off and in every thread but the front's. */
  readonly wallet: Wallet | null
  /**
   * Takes a fresh snapshot: everything that is read until the next call belongs to one head.
   * Called before each batch.
   */
  refresh(): void
  /** Keeps the header of a block that was connected in this thread; absent where nobody keeps any. */
  readonly knowHeader?: (header: BlockHeader) => void
  /** Gives the snapshot back, so that an idle thread pins no old pages. Called after each batch. */
  release(): void
}
