import type { FleetChainService } from '../../fleet/interface.ts'
import type { ChainCore } from './chainCore.ts'
import type { FleetChain } from './fleetChain.ts'
import { addTransactions } from './syncService.ts'
import { whyNotInFleet } from './whyNotInFleet.ts'
import { written } from './written.ts'

const HASH_LENGTH = 32

/** The services of the chain thread for the fleet thread. */
export function createFleetService(core: ChainCore, fleet: FleetChain): FleetChainService {
  const { chain } = core.open
  const { reader } = chain
  const { pool } = core
  return {
    begin: async () => {
      const genesis = reader.hashByNumber(0)
      if (genesis === null) throw new Error('the chain has no genesis block')
      const whyNot = await whyNotInFleet(core)
      await core.durable()
      return { genesis, whyNot, ...fleet.branch() }
    },
    holdHeads: async (longest) => fleet.hold(longest),
    adopt: (hash) => written(() => fleet.adopt(hash)),
    receive: (transactions) =>
      written(async () => {
        await addTransactions(core, transactions)
        await core.durable()
      }),
    waiting: async () =>
      Buffer.concat([...pool.pending(), ...pool.queued()].map(({ transaction }) => transaction.hash)),
    lacking: async (hashes) =>
      Buffer.concat(
        splitHashes(hashes).filter(
          (hash) => pool.get(hash.toString('hex')) === undefined && reader.locateTransaction(hash) === null,
        ),
      ),
    transactions: async (hashes) =>
      splitHashes(hashes).flatMap((hash) => pool.get(hash.toString('hex'))?.transaction.encoded ?? []),
    makeBlocks: async (maker) => fleet.makeBlocks(maker),
    takeWork: async (from, template) => core.work?.receive(from, template),
    ping: async () => undefined,
  }
}

function splitHashes(hashes: Buffer): Buffer[] {
  return Array.from({ length: Math.floor(hashes.length / HASH_LENGTH) }, (_, index) =>
    hashes.subarray(index * HASH_LENGTH, (index + 1) * HASH_LENGTH),
  )
}
