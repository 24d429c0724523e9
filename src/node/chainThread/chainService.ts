import { addressesOfSenders } from '../../chain/chainStoreReader.ts'
import type { AccountEdit } from '../../rpc/devCommands.ts'
import { RpcError } from '../../rpc/errors.ts'
import { StorageError } from '../../storage/errors.ts'
import type { SignedTransaction } from '../../txpool/interface.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { ChainService, DevService, EncodedTransaction } from '../../workers/chainLink.ts'
import { decodeTemplateSolution, type MiningLinkService } from '../../workers/miningLink.ts'
import { isRaised, type StopFlag } from '../../workers/stopFlag.ts'
import type { ChainCore } from './chainCore.ts'

/** The chain's answers as they cross threads. */
export function createChainService(core: ChainCore): ChainService {
  const { pool } = core
  return {
    pendingTransaction: (hash) => {
      const found = pool.pendingByHash(asBuffer(hash).toString('hex'))
      return found === undefined ? null : encode(found)
    },
    nextNonce: (address) => pool.nonceAfterPending(asBuffer(address)),
    pendingTransactions: () => [...pool.pending()].map(encode),
    queuedTransactions: () => [...pool.queued()].map(encode),
    quotaBalance: (address) => core.quota?.balanceOf(asBuffer(address).toString('hex')) ?? null,
    pendingBlock: () => {
      const { block, receipts } = core.pendingBlock()
      return {
        block: block.encoded,
        forkDetectionData: block.header.fields.forkDetectionData,
        senders: addressesOfSenders(block.senders),
        receipts,
      }
    },
    probe: () => written(() => core.probe()),
    sendTransaction: (encoded) => written(() => core.sendTransaction(asBuffer(encoded))),
    ...createDevService(core),
    ...createMiningService(core),
  }
}

function createDevService(core: ChainCore): DevService {
  const dev = () => {
    if (core.dev !== null) return core.dev
    throw new RpcError('methodUnavailable', 'only a development chain can be controlled')
  }
  const settings = () => {
    dev()
    return core.settings
  }
  return {
    mine: (request, stop) => written(() => dev().mine(request, toQuestion(stop))),
    snapshot: () => dev().snapshot(),
    revert: (id) => written(() => dev().revert(id)),
    reset: async () => {
      await written(() => dev().reset())
      settings().renew()
    },
    increaseTime: (seconds) => dev().increaseTime(seconds),
    setNextBlockTimestamp: (timestamp) => dev().setNextBlockTimestamp(timestamp),
    setTimestampInterval: (seconds) => settings().setTimestampInterval(seconds),
    adjustBlocks: (adjustment) => settings().adjust(adjustment),
    dropTransactions: (selection) => settings().dropTransactions(selection),
    dumpState: () => dev().dumpState(),
    loadState: async (dump, stop) => {
      await written(() => dev().loadState(dump, toQuestion(stop)))
      settings().renew()
    },
    instance: () => settings().instance,
    mode: () => dev().mode,
    setAutomine: (on) => dev().setAutomine(on),
    setInterval: (seconds) => dev().setInterval(seconds),
    setMining: (on) => dev().setMining(on),
    editAccount: (edit) => written(() => dev().editAccount(withBuffers(edit))),
    importBlock: (encoded) => written(() => dev().importBlock(asBuffer(encoded))),
    sendImpersonated: (encoded) => written(() => core.sendImpersonated(asBuffer(encoded))),
  }
}

function createMiningService(core: ChainCore): MiningLinkService {
  const served = <T>(answer: T | null | undefined): T => {
    if (answer !== null && answer !== undefined) return answer
    throw new Error('this node serves no miners')
  }
  return {
    work: () => served(core.work).work(),
    submitSolution: async (solution) => served(await written(() => core.submitSolution(solution))),
    submitTemplate: async (solution) =>
      served(await written(() => core.submitTemplate(decodeTemplateSolution(solution)))),
  }
}

/** Whether the caller wants no more. */
function toQuestion(stop: StopFlag | undefined): () => boolean {
  return () => stop !== undefined && isRaised(stop)
}

/** @throws RpcError `storeUnwritable` with the reason when what was asked for could not be written */
async function written<T>(write: () => T | Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'STORAGE_UNWRITABLE') throw error
    throw new RpcError('storeUnwritable', error.message, { cause: error })
  }
}

/** Byte arrays lose their Buffer methods when they cross threads. */
function withBuffers(edit: AccountEdit): AccountEdit {
  const { address, code, cell } = edit
  return {
    ...edit,
    address: asBuffer(address),
    ...(code === undefined ? {} : { code: asBuffer(code) }),
    ...(cell === undefined ? {} : { cell: { ...cell, value: asBuffer(cell.value) } }),
  }
}

function encode({ transaction, sender }: SignedTransaction): EncodedTransaction {
  return { encoded: transaction.encoded, sender }
}
