import type { EventLimits } from '../../filters/frontEvents.ts'
import { FleetError } from '../../fleet/errors.ts'
import { FILTER_SERVICES } from '../../fleet/filters/filterPart.ts'
import { FleetFilters } from '../../fleet/filters/fleetFilters.ts'
import { askLog } from '../../fleet/filters/logReader.ts'
import { OwnFilters } from '../../fleet/filters/ownFilters.ts'
import { EVERY_REVISION } from '../../fleet/interface.ts'
import type { Logger } from '../../observe/logger.ts'
import type { NodeContext } from '../../rpc/context.ts'
import { FilterStore } from '../../storage/filters/filterStore.ts'
import type { FleetFront } from './fleetFront.ts'

/** Milliseconds for the fleet thread to find the owner of a filter and have its answer. */
const ASK_TIME = 5000

/** What the filters of a member of a fleet are made of. */
export interface FleetFiltersParts {
  readonly dataDir: string
  readonly context: NodeContext
  readonly fleet: FleetFront
  readonly limits: EventLimits
  readonly log: Logger
  /** Has the reads of this turn of the event loop see the newest head. */
  readonly takeSnapshot: () => void
}

/** The filters of a member of a fleet in its front thread (fleet.md §6). */
export interface OpenFleetFilters {
  readonly filters: FleetFilters
  /** Closes the store. */
  close(): Promise<void>
}

/** @throws StorageError */
export function openFleetFilters(parts: FleetFiltersParts): OpenFleetFilters {
  const { dataDir, context, fleet, limits, log, takeSnapshot } = parts
  const { chain, pool } = context
  const onFailure = (error: unknown) => log.warn({ err: error }, 'a filter cannot be updated')
  const store = FilterStore.open({ dataDir, onReset: (reason) => log.warn(reason) })
  // The thread says how it is once a second: a member that just joined has to be asked.
  const member = async () => {
    const { handle } = fleet
    if (handle === null) throw joining()
    const { self, number } = fleet.status ?? (await handle.service.status())
    if (number === 0) throw joining()
    return { self, number, service: handle.service }
  }
  const call = async (name: string, payload: Buffer) => {
    const { self, service } = await member()
    return service.call(self, name, payload, ASK_TIME)
  }
  const own = new OwnFilters({
    number: async () => (await member()).number,
    store,
    chain,
    history: {
      between: async (after, to) => {
        const hashes = await askLog((question) => call(FILTER_SERVICES.log, question), after, to)
        if (hashes === null) return null
        const known: Buffer[] = []
        // Those that were refused, or left the pool, never entered the pending set or are of no use any more.
        for (const hash of hashes) {
          const isPending = await pool.isPending(hash)
          takeSnapshot()
          if (isPending || chain.locateTransaction(hash) !== null) known.push(hash)
        }
        return known
      },
    },
    limits: limits.filters,
    takeSnapshot,
    onFailure,
  })
  const filters = new FleetFilters({
    own,
    chain,
    heads: {
      get applied() {
        return fleet.gate?.applied ?? null
      },
      begin: async (revision) => {
        if (fleet.gate === null) throw joining()
        await fleet.gate.begin(revision)
      },
      // The pool answers when all members have what it has, and this thread is told of that before.
      caughtUp: async () => {
        await pool.isPending(NO_TRANSACTION)
      },
    },
    ask: (payload) => call(FILTER_SERVICES.any, payload),
    onFailure,
  })
  fleet.follow((event) => {
    if (event.kind === 'status') return
    if (event.kind === 'release') {
      // What ends every hold says nothing of the log.
      if (event.revision !== EVERY_REVISION) filters.applied(event.revision, event.hash)
      return
    }
    const { absence, head } = event
    if (absence === 'joining' || absence === 'cutOff') filters.interrupted()
    else if (head !== null) filters.applied(head.revision, head.hash)
  })
  fleet.serve(FILTER_SERVICES.own, (payload) => filters.answer(payload))
  fleet.serve(FILTER_SERVICES.adopt, (payload) => filters.adopt(payload))
  fleet.serve(FILTER_SERVICES.handOut, () => filters.handOut())
  return { filters, close: () => store.close() }
}

const NO_TRANSACTION = Buffer.alloc(32)

function joining(): FleetError {
  return new FleetError('NoMember', 'this node is joining its fleet')
}
