import { AccessStore } from '../../storage/access/accessStore.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { CounterSync } from './counterSync.ts'
import { KeySync } from './keySync.ts'

/** Keys and counters in the fleet thread (fleet.md §6 and §7). @throws AccessError */
export function shareAccess(context: FleetPartContext): FleetPart {
  // The front thread has it open, too, and may be the first one to do so.
  const store = AccessStore.open({ dataDir: context.dataDir, fleet: true })
  const keys = new KeySync(context, store)
  const counters = new CounterSync(context, store)
  return {
    stop: async () => {
      keys.stop()
      await counters.stop()
      await store.close()
    },
    reconnected: () => {
      keys.restart()
      counters.restart()
    },
    presentChanged: () => counters.presentChanged(),
    fromFront: (message) => counters.fromFront(message),
  }
}
