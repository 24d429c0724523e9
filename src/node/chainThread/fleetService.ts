import type { FleetBlock, FleetChainService } from '../../fleet/interface.ts'
import { readSenders } from '../../sync/link/readSenders.ts'
import type { BlockOutcome } from '../../sync/syncChain.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { ChainCore } from './chainCore.ts'
import type { FleetChain } from './fleetChain.ts'
import { connectInTurns } from './syncService.ts'
import { whyNotInFleet } from './whyNotInFleet.ts'
import { written } from './written.ts'

/** What the chain thread does for the fleet thread. */
export function createFleetService(core: ChainCore, fleet: FleetChain): FleetChainService {
  const { chain, environment } = core.open
  const { reader } = chain
  const durable = () => environment.flushed()
  /** Calls that connect blocks go one after the other. */
  let connecting: Promise<unknown> = Promise.resolve()
  /** null when it may be; it cannot become otherwise in a fleet. */
  let mayBe: Promise<string | null> | null = null
  return {
    head: async () => blockOf(chain.head.hash),
    heaviest: async () => {
      const { number, hash, totalDifficulty } = chain.heaviest
      await durable()
      return { number, hash, totalDifficulty }
    },
    genesisHash: async () => {
      const hash = reader.hashByNumber(0)
      if (hash === null) throw new Error('the chain has no genesis block')
      return hash
    },
    whyNot: () => {
      mayBe ??= whyNotInFleet(core)
      return mayBe
    },
    executed: async (hash) => {
      const header = reader.headerByHash(hash)
      if (header === null || !core.open.executor.hasStateAfter(header)) return null
      await durable()
      return blockOf(hash)
    },
    connect: (blocks) => {
      const result = connecting.then(() => connect(core, fleet, blocks))
      connecting = result.catch(() => undefined)
      return written(() => result)
    },
    moveHead: (hash, time) => written(() => fleet.moveHead(hash, time ?? null)),
    admit: (transactions) => written(() => fleet.admit(transactions)),
    pool: async () => fleet.pool.entries(),
    admissionState: async () => fleet.pool.state(),
    replacePool: (entries, state) => written(() => fleet.replacePool(entries, state ?? null)),
    shareLog: async (shared) => fleet.stable.follow(shared),
    lead: async (isLeader) => {
      core.producer.setLeading(isLeader)
      core.work?.setBuilder(isLeader)
    },
    takeWork: async (template) => core.work?.receive(asBuffer(template)),
    buildWork: async () => {
      await core.work?.work()
    },
    ping: async () => fleet.heard(),
  }

  function blockOf(hash: Buffer): FleetBlock {
    const number = reader.heightOf(hash)
    const totalDifficulty = reader.totalDifficulty(hash)
    if (number === null || totalDifficulty === null)
      throw new Error(`block ${hash.toString('hex')} is not stored`)
    return { number, hash, totalDifficulty }
  }
}

async function connect(
  core: ChainCore,
  fleet: FleetChain,
  blocks: readonly Buffer[],
): Promise<readonly BlockOutcome[]> {
  const read = await readSenders(core.spec, blocks)
  const outcomes = await connectInTurns(core.spec, read, (turn) => fleet.connectAll(turn))
  await core.open.environment.flushed()
  return outcomes
}
