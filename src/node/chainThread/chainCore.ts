import type { ConnectResult } from '../../chain/blockchain.ts'
import type { HeadChange } from '../../chain/chainWriter.ts'
import type { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import { isDevelopmentNetwork, type NetworkSpec } from '../../config/networkSpec.ts'
import { chosenNetwork } from '../../config/networks/configured.ts'
import { type OpenChain, openChain } from '../../execution/openChain.ts'
import { forkBlock } from '../../fork/forkBase.ts'
import type { PoolSolution } from '../../mining/bitcoinSolution.ts'
import { BlockClock } from '../../mining/blockClock.ts'
import { BlockProducer, type MineRequest } from '../../mining/blockProducer.ts'
import { createExtraData } from '../../mining/extraData.ts'
import type { SolutionOutcome, TemplateSolution } from '../../mining/interface.ts'
import { PendingBlocks } from '../../mining/pendingBlock.ts'
import { rewardAddress } from '../../mining/rewardAddress.ts'
import type { WorkServer } from '../../mining/workServer.ts'
import { FetchedSnapshot } from '../../snapshot/fetchedSnapshot.ts'
import type { StorageError } from '../../storage/errors.ts'
import { cachedFeeMarket } from '../../txpool/cachedFeeMarket.ts'
import { encodeTransaction } from '../../txpool/encodedTransaction.ts'
import { PoolRefusal } from '../../txpool/errors.ts'
import type { PoolChange, PooledTransaction, SendOutcome } from '../../txpool/interface.ts'
import { TransactionQuota } from '../../txpool/quota.ts'
import { TransactionPool } from '../../txpool/transactionPool.ts'
import { asBuffer, fromHex } from '../../util/bytes.ts'
import { createSteadyClock, neverBack } from '../../util/steadyClock.ts'
import { DevControl } from '../dev/devControl.ts'
import { DevSettings } from '../dev/devSettings.ts'
import { type FundedAccount, StateEditor } from '../dev/stateEditor.ts'
import { FilledBlocks } from '../filledBlocks.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import { type BlockMakingParams, createBlockMaking } from './blockMaking.ts'
import type { ChainListener } from './chainListener.ts'
import { type ChainSharing, NODE_ALONE } from './chainSharing.ts'
import { PoolHeads } from './poolHeads.ts'
import { restorePool } from './restorePool.ts'
import { SendQueue } from './sendQueue.ts'
import { signedTransactionsOf } from './signedTransactionsOf.ts'
import { StoreCommits } from './storeCommits.ts'

/** Time between two looks for outdated transactions while no block comes, milliseconds. */
const OUTDATED_CHECK_MILLISECONDS = 10_000

/**
 * The one writer: chain, transaction pool and block producer over the stores of a data directory. Lives in
 * the chain thread; tests may have it in their own.
 */
export class ChainCore {
  readonly spec: NetworkSpec
  readonly open: OpenChain
  readonly pool: TransactionPool
  /** The quota of accounts for sending; null where there is no limit. */
  readonly quota: TransactionQuota | null
  readonly producer: BlockProducer
  readonly clock: BlockClock
  /** Work for miners outside the node; null where they are not served. */
  readonly work: WorkServer | null
  /** Control by its users; null unless the network is one for development. */
  readonly dev: DevControl | null
  /** The settings of users for blocks to come and for the pool. */
  readonly settings: DevSettings
  /** Transactions of the last run that the pool took back. */
  readonly restored: number
  /** Snapshot of peers that is put together, on a chain of genesis alone. */
  readonly fetchedSnapshot: FetchedSnapshot
  /** Blocks below the first that is kept. */
  readonly filledBlocks: FilledBlocks
  /** Rule by which what happens here may be shown. */
  readonly sharing: ChainSharing
  #coinbase: Buffer | null
  readonly #poolHeads: PoolHeads
  readonly #listener: ChainListener
  readonly #commits: StoreCommits
  readonly #pendingBlocks: PendingBlocks
  readonly #sends: SendQueue
  readonly #timer: NodeJS.Timeout
  #committing: Promise<void> | null = null
  #isStopping = false

  /**
   * Opens the data directory and goes on where it was.
   * @param clock milliseconds since 1970, in place of the machine's time
   * @param sharing that of a node alone unless given
   * @throws StorageError, NativeError when the data directory cannot be used, MiningError `EXTRA_DATA`
   */
  constructor(
    options: ChainOptions,
    listener: ChainListener,
    clock?: () => number,
    sharing: ChainSharing = NODE_ALONE,
  ) {
    const now = clock ?? Date.now
    // What waits grows old evenly, whatever happens to the machine's time; blocks follow that time.
    const steady = clock === undefined ? createSteadyClock() : neverBack(clock)
    const spec = chosenNetwork(options)
    const { production } = options
    const extraData = createExtraData(production.client, production.extraText)
    this.spec = spec
    this.sharing = sharing
    this.#listener = listener
    this.#coinbase = rewardAddress(production.coinbase, spec.mining, production.coinbaseSecret)
    const seconds = () => Math.floor(now() / 1000)
    this.open = openChain({
      spec,
      dataDir: options.dataDir,
      storeOptions: options.storeOptions,
      proofs: options.proofs ?? null,
      history: options.history ?? null,
      onPruned: (pruned) => listener.onPruned(pruned),
      onPruningFault: (error) => listener.onFailure(error),
      checksOffers: options.checksOffers ?? false,
      ...(options.forkBase === undefined ? {} : { fork: forkBlock(spec, options.forkBase) }),
      ...(sharing === NODE_ALONE ? {} : { adoptsAtOnce: () => sharing.adoptsAtOnce() }),
      now: seconds,
    })
    const { chain } = this.open
    const funded = options.funded.map(({ address, balance }) => ({ address: asBuffer(address), balance }))
    // Before anybody reads the state after the head.
    if (isDevelopmentNetwork(spec) && new StateEditor(spec, this.open).prepare(funded)) chain.stateEdited()
    this.#commits = new StoreCommits({
      open: this.open,
      dataDir: options.dataDir,
      mayBeMoved: options.inMemory !== true,
      onChange: (fault) => this.#followStore(fault),
      onBroken: (error) => listener.onBroken(error),
    })
    this.fetchedSnapshot = new FetchedSnapshot({
      ...this.open,
      spec,
      assertWritable: () => this.#commits.assertWritable(),
    })
    this.filledBlocks = new FilledBlocks({
      spec,
      environment: this.open.environment,
      reader: chain.reader,
      assertWritable: () => this.#commits.assertWritable(),
    })
    const feeMarket = cachedFeeMarket(chain.reader)
    this.quota = options.quota ? new TransactionQuota({ now: steady, feeMarket }) : null
    this.#poolHeads = new PoolHeads(spec, this.open, () => sharing.makesBlocks())
    this.pool = new TransactionPool({
      limits: options.pool,
      head: this.#poolHeads.of(chain.head),
      quota: this.quota,
      now: steady,
    })
    this.restored = restorePool(
      this.open,
      this.pool,
      this.#commits.journal,
      options.pool.outdatedBlocks,
      steady(),
    )
    this.#commitSoon()
    // Zero is no limit (consensus.md §1.1).
    this.clock = new BlockClock(seconds, spec.timestamps.futureLimitSeconds || undefined)
    const { open, pool } = this
    const onUnfit: BlockMakingParams['onUnfit'] = ({ unfit, unreadable }) => {
      for (const { transaction } of unfit)
        this.#poolChanged({ pending: [], removed: pool.evict(transaction.hashHex) })
      for (const { signed, reason } of unreadable) listener.onUnreadable(signed.transaction.hashHex, reason)
    }
    const { builder, policy, work } = createBlockMaking({
      ...{ spec, open, pool, clock: this.clock },
      production,
      coinbase: this.#coinbase ?? Buffer.alloc(20),
      extraData,
      listener,
      onUnfit,
      now,
      sharing: sharing.work,
    })
    this.work = work
    this.#poolHeads.policy = policy
    this.producer = new BlockProducer({
      chain,
      pool,
      builder,
      provideExecution: (block, { parentRoot, execution }) =>
        open.executor.provideExecution(block, parentRoot, execution),
      clock: this.clock,
      provesNoWork: spec.fork !== undefined,
      mode: production.mode,
      onUnfit,
      onMode: (mode) => listener.onMode(mode),
      onFailure: (error) => listener.onFailure(error),
      canWrite: () => this.#commits.fault === null,
      settled: () => sharing.settled(),
      makesBlocks: () => sharing.makesBlocks(),
      isStopping: () => this.#isStopping,
    })
    this.#pendingBlocks = new PendingBlocks({ builder, pool, clock: this.clock, head: () => chain.head })
    this.dev = isDevelopmentNetwork(spec) ? this.#createDevControl(funded) : null
    this.settings = new DevSettings({
      policy,
      clock: this.clock,
      pool,
      onAdjusted: ({ coinbase }) => {
        this.#coinbase = coinbase ?? this.#coinbase
        this.#pendingBlocks.forget()
        work?.changed()
        listener.onChange()
      },
      onDropped: (dropped) => {
        this.#poolChanged({ pending: [], removed: [...dropped] })
        this.#commitSoon()
        listener.onChange()
      },
    })
    this.#sends = new SendQueue({
      chainId: spec.chainId,
      add: (transaction) => this.#add(transaction),
      commit: () => this.#commitGroup(),
      share: (transactions) => sharing.share(transactions),
      makesBlocks: () => this.producer.mode.instant,
    })
    chain.onHead((change) => this.#followHead(change))
    sharing.onExecuted(() => {
      work?.headChanged()
      listener.onExecuted(chain.best.number)
    })
    sharing.begin({
      chain,
      commit: () => this.#commits.all(),
      assertWritable: () => this.#commits.assertWritable(),
      onFailure: (error) => listener.onFailure(error),
    })
    this.#timer = setInterval(() => this.#removeOutdated(), OUTDATED_CHECK_MILLISECONDS).unref()
  }

  /** Account that is paid for blocks, 20 bytes; null where there is none. */
  get coinbase(): Buffer | null {
    return this.#coinbase
  }

  /** The target of the minimum gas price of its blocks, wei; null where others make the blocks. */
  get priceTarget(): bigint | null {
    return this.#poolHeads.priceTarget
  }

  /** Transactions that would outlive the process now, as the pool's journal has them. */
  get journaled(): number {
    return this.#commits.journal.size
  }

  /** Begins to make blocks, and work for others to make them. */
  start(): void {
    this.producer.start()
    this.work?.start()
  }

  /**
   * Offers the RLP of a transaction to the pool; answers once it is durable, and mined in the instant mode.
   * @throws StorageError `STORAGE_UNWRITABLE` when it cannot be made durable
   */
  async sendTransaction(encoded: Buffer): Promise<SendOutcome> {
    this.#commits.assertNoFault()
    return this.#sends.submit(encoded)
  }

  /**
   * Offers a transaction that nobody signed, on a development chain; its sender stands in place of the
   * signature (`impersonatedSender`).
   */
  async sendImpersonated(encoded: Buffer): Promise<SendOutcome> {
    const transaction = parseTransaction(encoded)
    const sender = this.dev === null ? null : impersonatedSender(transaction)
    if (sender === null) {
      return { status: 'refused', reason: "the sender account doesn't exist", stats: {} }
    }
    this.#commits.assertWritable()
    try {
      this.#add({ transaction, sender })
    } catch (error) {
      if (error instanceof PoolRefusal) {
        return { status: 'refused', reason: error.message, stats: error.stats }
      }
      throw error
    }
    await this.#commitGroup()
    return { status: 'accepted', hash: transaction.hash }
  }

  /**
   * Connects blocks of peers in order, in one commit; not on disk yet when it returns, as nobody relies on that.
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  connectFromPeers(blocks: Iterable<Block>): ConnectResult[] {
    this.#commits.assertWritable()
    const results = this.open.chain.connectAll(blocks)
    for (const result of results)
      if (result.status === 'INVALID_BLOCK') this.sharing.refused(fromHex(result.error.hash))
    // What a reorganisation gave back is as good as sent.
    this.producer.mineWaiting()
    return results
  }

  /**
   * Offers transactions of peers to the pool; the journal is written after this turn.
   * @returns the refusal of each, null for one that entered
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  addFromPeers(transactions: readonly SignedTransaction[]): (PoolRefusal | null)[] {
    this.#commits.assertNoFault()
    const refusals = transactions.map((signed) => {
      try {
        this.#add(signed)
        return null
      } catch (error) {
        if (error instanceof PoolRefusal) return error
        throw error
      }
    })
    this.producer.mineWaiting()
    this.#commitSoon()
    return refusals
  }

  /** Makes blocks on the head; answers once they are durable. @throws MiningError */
  async mine(request: MineRequest = {}, isUnwanted?: () => boolean): Promise<void> {
    this.sharing.assertMaker()
    this.#commits.assertNoFault()
    await this.producer.mine(request, isUnwanted)
    await this.#commits.all()
  }

  /** The node stops: what makes or loads many blocks ends with the block at hand, and says so. */
  endRequests(): void {
    this.#isStopping = true
  }

  /** Takes the solution of a pool; an imported block is durable when this answers. */
  async submitSolution(solution: PoolSolution): Promise<SolutionOutcome | null> {
    this.#commits.assertWritable()
    return this.#settled(this.work?.submit(solution) ?? null)
  }

  /** As {@link submitSolution}, for a solution of eth_getWork. */
  async submitTemplate(solution: TemplateSolution): Promise<SolutionOutcome | null> {
    this.#commits.assertWritable()
    return this.#settled(this.work?.submitTemplate(solution) ?? null)
  }

  /** The next block as it would be built now, without proof of work. The state after it can be read. */
  pendingBlock(): ReturnType<PendingBlocks['current']> {
    return this.#pendingBlocks.current()
  }

  /** Resolves when the store has taken a write: what was committed before is on disk then, too. */
  probe(): Promise<void> {
    return this.#commits.probe()
  }

  /** Resolves when what happened so far is on disk. @throws StorageError `STORAGE_UNWRITABLE` */
  durable(): Promise<void> {
    return this.#commits.all()
  }

  /** Stops making blocks, answers what was sent, makes everything durable and closes the stores. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#commits.stop()
    this.producer.stop()
    this.work?.stop()
    this.sharing.close()
    await this.#sends.drained()
    // What cannot be written was not acknowledged.
    if (this.#commits.fault === null) await this.#commits.flush()
    await this.#committing
    await this.#commits.journal.close()
    await this.open.close()
  }

  #createDevControl(funded: readonly FundedAccount[]): DevControl {
    const { chain } = this.open
    return new DevControl({
      spec: this.spec,
      chain,
      clock: this.clock,
      producer: this.producer,
      editor: new StateEditor(this.spec, this.open),
      funded,
      onStateEdited: () => this.#followEdit(),
      onSideBlock: () => this.#listener.onChange(),
      clearPool: () => this.#poolChanged({ pending: [], removed: this.pool.clear() }),
      assertWritable: () => this.#commits.assertWritable(),
      commit: () => this.#commits.all(),
      flushed: () => this.#commits.chain(),
      isStopping: () => this.#isStopping,
    })
  }

  /** The head is the same block with another state. */
  #followEdit(): void {
    const { head } = this.open.chain
    this.#pendingBlocks.forget()
    this.#poolChanged(this.pool.onHead({ head: this.#poolHeads.of(head), retracted: [], enacted: [] }))
    this.work?.changed()
    const stats = { timestamp: Number(head.fields.timestamp), transactions: 0, gas: 0, seconds: 0 }
    this.#listener.onHead({ retracted: [], enacted: [] }, stats)
  }

  #add({ transaction, sender }: SignedTransaction): PoolChange {
    const change = this.pool.add(transaction, sender)
    const entry = this.pool.get(transaction.hashHex)
    if (entry !== undefined) this.#keep(entry)
    this.#poolChanged(change)
    return change
  }

  /** In the instant mode a group is mined before it is answered. */
  async #commitGroup(): Promise<void> {
    try {
      this.producer.mineWaiting()
    } catch (error) {
      // The transactions are in the pool all the same.
      this.#listener.onFailure(error)
    }
    await this.#commits.all()
  }

  async #settled(outcome: SolutionOutcome | null): Promise<SolutionOutcome | null> {
    if (outcome?.status === 'imported') await this.#commits.all()
    return outcome
  }

  #followStore(fault: StorageError | null): void {
    this.#listener.onStore(fault)
    if (fault !== null) return
    try {
      this.producer.mineWaiting()
    } catch (error) {
      this.#listener.onFailure(error)
    }
  }

  #followHead({ head, retracted, enacted, isReset, keepsPool }: HeadChange): void {
    // Blocks that a user took back take their transactions with them; a reorganisation gives them back.
    const isRewind = isReset === true
    if (isRewind && keepsPool !== true) this.#poolChanged({ pending: [], removed: this.pool.clear() })
    const { chain } = this.open
    const mined = enacted.flatMap((header) => signedTransactionsOf(chain, header))
    const change = this.pool.onHead({
      head: this.#poolHeads.of(head),
      retracted: (isRewind ? [] : retracted)
        .toReversed()
        .flatMap((header) => signedTransactionsOf(chain, header)),
      enacted: mined,
      isRewound: isRewind,
    })
    for (const entry of change.pending) this.#keep(entry)
    // Before anybody learns of it.
    this.work?.headChanged()
    const reference = ({ number, hash }: BlockHeader) => ({ number, hash })
    this.#listener.onHead(
      { retracted: retracted.map(reference), enacted: enacted.map(reference) },
      {
        timestamp: Number(head.fields.timestamp),
        transactions: mined.length,
        gas: enacted.reduce((sum, { fields }) => sum + Number(fields.gasUsed), 0),
        seconds: enacted.length === 0 ? 0 : chain.connectTime / 1000,
      },
    )
    this.#poolChanged(change)
    this.#commitSoon()
  }

  /** Over a restart; a transaction that nobody signed would look like a forged one. */
  #keep(entry: PooledTransaction): void {
    if (impersonatedSender(entry.transaction) === null) this.#commits.journal.keep(entry)
  }

  /** Brings a change of the pool to the journal, to work for miners and to whoever listens. */
  #poolChanged({ pending, removed }: PoolChange): void {
    for (const { transaction } of removed) this.#commits.journal.remove(transaction)
    if (pending.length === 0) return
    this.work?.pendingAdded()
    this.#listener.onPending(pending.map(encodeTransaction))
  }

  #removeOutdated(): void {
    this.#poolChanged({ pending: [], removed: this.pool.removeOutdated() })
    this.#commitSoon()
  }

  /** Writes the journal after this turn, unless somebody else did. */
  #commitSoon(): void {
    if (this.#commits.fault !== null) return
    this.#committing ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#commits.journal.flush())
      .catch((error: unknown) => this.#listener.onFailure(error))
      .finally(() => {
        this.#committing = null
      })
  }
}
