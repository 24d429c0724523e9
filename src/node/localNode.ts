import { addressesOfSenders } from '../chain/chainStoreReader.ts'
import { parseReceipt } from '../chain/codec/receipt.ts'
import { chosenNetwork } from '../config/networks/configured.ts'
import { createLocalExecution } from '../execution/localExecution.ts'
import { createTransactionTracer } from '../execution/transactionTracer.ts'
import { adjustedCoinbase } from '../mining/adjustablePolicy.ts'
import { isAutomatic } from '../mining/blockProducer.ts'
import { EncodedObjectCache } from '../native/encodedObjectCache.ts'
import type { Interrupt, NodeContext, NodeInfo } from '../rpc/context.ts'
import type { DevCommands } from '../rpc/devCommands.ts'
import { createNodeContext } from '../rpc/node/nodeContext.ts'
import { asBuffer } from '../util/bytes.ts'
import type { ChainService, DevService } from '../workers/chainLink.ts'
import { decodeSolutionOutcome, decodeWork, type MiningLink } from '../workers/miningLink.ts'
import { raisedBy } from '../workers/stopFlag.ts'
import { ChainCore, type ChainListener } from './chainThread/chainCore.ts'
import { createChainService } from './chainThread/chainService.ts'
import { createFrontMining, type FrontMining } from './miningCommands.ts'
import type { ChainOptions } from './options/chainOptions.ts'

/** Texts that a node in one thread keeps: 4 MiB. */
const TEXT_BYTES = 4 * 1024 * 1024

/** What a node in one thread is made of. */
export interface LocalNodeOptions {
  readonly chain: ChainOptions
  readonly node: NodeInfo
  readonly listener?: Partial<ChainListener>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A node without threads and sockets, for tests and tools. */
export interface LocalNode {
  readonly core: ChainCore
  readonly context: NodeContext
  close(): Promise<void>
}

/**
 * Opens a data directory and answers in the calling thread. Work that fails while nobody waits for it is thrown
 * unless a listener takes it.
 * @throws as {@link ChainCore}
 */
export function createLocalNode({ chain, node, listener = {}, now }: LocalNodeOptions): LocalNode {
  let mining: FrontMining | null = null
  const core = new ChainCore(
    chain,
    {
      onHead: (notice, head) => {
        mining?.headChanged(notice)
        listener.onHead?.(notice, head)
      },
      onPending: (notices) => listener.onPending?.(notices),
      onMode: (mode) => listener.onMode?.(mode),
      onStore: (fault) => listener.onStore?.(fault),
      onBroken: (error) => {
        if (listener.onBroken === undefined) throw error
        listener.onBroken(error)
      },
      onWork: (work) => {
        mining?.workBuilt(work)
        listener.onWork?.(work)
      },
      onSubmission: (result, age) => listener.onSubmission?.(result, age),
      onFailure: (error) => {
        if (listener.onFailure === undefined) throw error
        listener.onFailure(error)
      },
    },
    now,
  )
  const { environment, nativeSpec, stateStore } = core.open
  const spec = chosenNetwork(chain)
  const service = createChainService(core)
  const { work } = chain.production
  if (work !== null) mining = createFrontMining(createLocalMining(service), work.refreshTime, now ?? Date.now)
  let coinbase = core.coinbase
  const dev = localDevCommands(service, core)
  const interrupt: Interrupt = { flags: new Int32Array(1), slot: 0 }
  const context = createNodeContext({
    spec,
    node,
    environment,
    stateStore,
    texts: EncodedObjectCache.inMemory(TEXT_BYTES),
    execution: (mayBeEdited) =>
      createLocalExecution({ spec, nativeSpec, store: stateStore, interrupt, mayBeEdited }),
    tracing: createTransactionTracer({
      spec,
      nativeSpec,
      store: stateStore,
      interrupt,
      maxBytes: node.settings.answerBytes,
    }),
    interrupt,
    pool: {
      transaction: (hash) => core.pool.pendingByHash(hash.toString('hex')) ?? null,
      nextNonce: (address) => core.pool.nonceAfterPending(address),
      pending: () => [...core.pool.pending()],
      queued: () => [...core.pool.queued()],
      quota: (address) => core.quota?.balanceOf(address.toString('hex')) ?? null,
      block: () => {
        const { block, receipts } = core.pendingBlock()
        return {
          block,
          senders: addressesOfSenders(block.senders),
          receipts: receipts.map(parseReceipt),
        }
      },
    },
    commands: {
      sendTransaction: (encoded) => core.sendTransaction(encoded),
      mine: (request = {}, signal) => core.mine(request, () => signal?.aborted ?? false),
      dev: {
        ...dev,
        adjustBlocks: async (adjustment) => {
          await dev.adjustBlocks(adjustment)
          coinbase = adjustedCoinbase(adjustment) ?? coinbase
        },
      },
      mining: mining?.commands ?? null,
    },
    status: () => ({
      listening: true,
      peers: [],
      syncing: null,
      coinbase,
      mining: isAutomatic(core.producer.mode),
    }),
  })
  core.start()
  return { core, context, close: () => core.close() }
}

/** The same as over a port, without one. */
function createLocalMining(service: ChainService): MiningLink {
  return {
    work: async () => decodeWork(await service.work()),
    submit: async (solution) => decodeSolutionOutcome(await service.submitSolution(solution)),
    submitTemplate: async (solution) => decodeSolutionOutcome(await service.submitTemplate(solution)),
  }
}

/** The same control as over a port, without one. */
function localDevCommands(service: DevService, core: ChainCore): DevCommands {
  return {
    snapshot: async () => service.snapshot(),
    revert: async (id) => service.revert(id),
    reset: async () => service.reset(),
    increaseTime: async (seconds) => service.increaseTime(seconds),
    setNextBlockTimestamp: async (timestamp) => service.setNextBlockTimestamp(timestamp),
    setTimestampInterval: async (seconds) => service.setTimestampInterval(seconds),
    adjustBlocks: async (adjustment) => service.adjustBlocks(adjustment),
    dropTransactions: async (selection) => service.dropTransactions(selection),
    dumpState: async () => asBuffer(await service.dumpState()),
    loadState: async (dump, signal) => service.loadState(dump, signal && raisedBy(signal)),
    instance: async () => service.instance(),
    mode: async () => service.mode(),
    setAutomine: async (on) => service.setAutomine(on),
    setInterval: async (seconds) => service.setInterval(seconds),
    setMining: async (on) => service.setMining(on),
    editAccount: async (edit) => service.editAccount(edit),
    importBlock: async (encoded) => asBuffer(await service.importBlock(encoded)),
    sendImpersonated: (encoded) => core.sendImpersonated(encoded),
  }
}
