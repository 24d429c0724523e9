import { AccessStore } from '../../storage/access/accessStore.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { CounterSync } from './counterSync.ts'
import { KeySync } from './keySync.ts'
import { ACCESS_PART, type FromFront, type ToFront } from './messages.ts'

/** Milliseconds between two lines of the log about what failed. */
const LOG_PERIOD = 60_000

/** Keys and counters in the fleet thread (fleet.md §6 and §7). */
export class AccessPart implements FleetPart {
  readonly name = ACCESS_PART
  readonly #zone: string
  #store: AccessStore | null = null
  #keys: KeySync | null = null
  #counters: CounterSync | null = null

  /** @param zone of the days of quotas */
  constructor(zone: string) {
    this.#zone = zone
  }

  /** @throws AccessError */
  async start(context: FleetPartContext): Promise<void> {
    let loggedAt = Number.NEGATIVE_INFINITY
    const onFailure = (error: unknown) => {
      context.count('accessFailures')
      if (performance.now() - loggedAt < LOG_PERIOD) return
      loggedAt = performance.now()
      context.log.warn({ err: error }, 'keys and counters are not those of the fleet until this works')
    }
    const tell = (message: ToFront) => context.tellFront(message)
    // The front thread has it open, too, and may be the first one to do so.
    this.#store = AccessStore.open({ dataDir: context.dataDir, fleet: true })
    this.#keys = new KeySync(context, this.#store, () => tell({ kind: 'keys' }), onFailure)
    this.#counters = new CounterSync(context, this.#store, { zone: this.#zone, tell, onFailure })
  }

  async stop(): Promise<void> {
    this.#keys?.stop()
    await this.#counters?.stop()
    await this.#store?.close()
  }

  reconnected(): void {
    this.#keys?.restart()
    this.#counters?.restart()
  }

  fromFront(message: unknown): void {
    this.#counters?.fromFront(message as FromFront)
  }
}
