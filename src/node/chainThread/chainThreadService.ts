import { addressesOfSenders } from '../../chain/chainStoreReader.ts'
import type { CommandSignal } from '../../rpc/commandSignal.ts'
import type { DevCommands } from '../../rpc/devCommands.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { MinerCommands } from '../../rpc/miningCommands.ts'
import { encodeTransaction } from '../../txpool/encodedTransaction.ts'
import type { ChainCore } from './chainCore.ts'
import type { ChainService, EncodedPool } from './chainService.ts'
import { written } from './written.ts'

/** The services of the chain thread for the others. */
export function createChainService(core: ChainCore): ChainService {
  return {
    probe: () => written(() => core.probe()),
    sendTransaction: (encoded) => written(() => core.sendTransaction(encoded)),
    mine: (request = {}, stop) =>
      written(() => {
        core.sharing.assertMaker()
        return devOf(core).mine(request, toQuestion(stop))
      }),
    ...createPool(core),
    ...createDevCommands(core),
    ...createMinerCommands(core),
  }
}

function createPool(core: ChainCore): EncodedPool {
  const { pool, quota } = core
  return {
    pooledTransaction: async (hash) => {
      const found = pool.get(hash.toString('hex'))
      return found === undefined ? null : encodeTransaction(found)
    },
    isPending: async (hash) => pool.pendingByHash(hash.toString('hex')) !== undefined,
    // At least what its head has: who asks may still see the head before, whose transactions left the pool meanwhile.
    nextNonce: async (address) => pool.nextNonce(address),
    pendingTransactions: async () => [...pool.pending()].map(encodeTransaction),
    queuedTransactions: async () => [...pool.queued()].map(encodeTransaction),
    quota: async (address) => quota?.balanceOf(address.toString('hex')) ?? null,
    pendingBlock: async () => {
      const { block, receipts } = core.pendingBlock()
      return {
        block: block.encoded,
        forkDetectionData: block.header.fields.forkDetectionData,
        senders: addressesOfSenders(block.senders),
        receipts,
      }
    },
  }
}

function createDevCommands(core: ChainCore): DevCommands {
  const dev = () => devOf(core)
  const settings = () => {
    dev()
    return core.settings
  }
  /** For what would make the chain or the pool of a member differ from those of the others. */
  const alone = () => {
    core.sharing.assertAlone()
    return dev()
  }
  return {
    snapshot: async () => alone().snapshot(),
    revert: (id) => written(() => alone().revert(id)),
    rollback: (depth) => written(() => alone().rollback(depth)),
    reorganise: (depth, transactions, stop) =>
      written(() => alone().reorganise(depth, transactions, toQuestion(stop))),
    reset: async () => {
      await written(() => alone().reset())
      settings().renew()
    },
    increaseTime: async (seconds) => dev().increaseTime(seconds),
    setNextBlockTimestamp: async (timestamp) => dev().setNextBlockTimestamp(timestamp),
    setTimestampInterval: async (seconds) => settings().setTimestampInterval(seconds),
    adjustBlocks: async (adjustment) => settings().adjust(adjustment),
    dropTransactions: async (selection) => {
      alone()
      return settings().dropTransactions(selection)
    },
    dumpState: async () => dev().dumpState(),
    loadState: async (dump, stop) => {
      await written(() => alone().loadState(dump, toQuestion(stop)))
      settings().renew()
    },
    instance: async () => settings().instance,
    mode: async () => dev().mode,
    setAutomine: async (on) => (on ? alone() : dev()).setAutomine(on),
    setInterval: async (seconds) => dev().setInterval(seconds),
    setMining: async (on) => dev().setMining(on),
    editAccount: (edit) => written(() => alone().editAccount(edit)),
    importBlock: (encoded) => written(() => dev().importBlock(encoded)),
    sendImpersonated: (encoded) =>
      written(() => {
        core.sharing.assertAlone()
        return core.sendImpersonated(encoded)
      }),
  }
}

function createMinerCommands(core: ChainCore): MinerCommands {
  const served = <T>(answer: T | null | undefined): T => {
    if (answer !== null && answer !== undefined) return answer
    throw new Error('this node serves no miners')
  }
  return {
    work: async () => served(core.work).work(),
    submit: async (solution) => served(await written(() => core.submitSolution(solution))),
    submitTemplate: async (solution) => served(await written(() => core.submitTemplate(solution))),
  }
}

/** @throws RpcError on a chain that is not for development */
function devOf({ dev }: ChainCore): NonNullable<ChainCore['dev']> {
  if (dev !== null) return dev
  throw new RpcError('methodUnavailable', 'only a development chain can be controlled')
}

/** True when the caller wants no more. */
function toQuestion(stop: CommandSignal | undefined): () => boolean {
  return () => stop?.aborted === true
}
