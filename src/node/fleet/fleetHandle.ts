import type { FleetThreadService } from '../../fleet/interface.ts'
import { RpcError } from '../../rpc/errors.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import { type FleetThreadEnd, type FleetWorker, startFleetWorker } from './fleetWorker.ts'
import type { FleetHandle, FleetHandleParts } from './parts.ts'

/** Pause before a thread that died is started again, milliseconds: each time twice as long, up to the longest. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 15_000
/** A thread that lived so long did not die of what the one before died of, milliseconds. */
const LONG_LIFE = 60_000

/**
 * Starts the fleet thread; when it ends it is started again. Resolves where servers are missing: the node then is alone.
 * @throws NodeError `FLEET_THREAD` when the thread can never take part as things are configured
 */
export async function startFleetThread(parts: FleetHandleParts): Promise<FleetHandle> {
  const thread = new FleetThread(parts)
  await thread.start()
  return thread
}

class FleetThread implements FleetHandle {
  readonly service: FleetThreadService
  readonly #parts: FleetHandleParts
  readonly #now = createSteadyClock()
  #worker: FleetWorker | null = null
  #pause = 0
  #timer: NodeJS.Timeout | null = null
  #isClosing = false

  constructor(parts: FleetHandleParts) {
    this.#parts = parts
    const ask = <T>(work: (service: FleetThreadService) => Promise<T>): Promise<T> =>
      this.#worker === null
        ? Promise.reject(new RpcError('filterAway', 'this node does not reach its fleet now, try again'))
        : work(this.#worker.service)
    this.service = {
      call: (...args) => ask((service) => service.call(...args)),
      drain: () => ask((service) => service.drain()),
      toPart: (...args) => ask((service) => service.toPart(...args)),
    }
  }

  busySeconds(): number {
    return this.#worker?.busySeconds() ?? 0
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#worker?.close()
  }

  /** @throws NodeError */
  async start(): Promise<void> {
    const began = this.#now()
    const worker = startFleetWorker(this.#parts, (event) => this.#parts.onEvent(event))
    this.#worker = worker
    const first = await Promise.race([worker.ready.then(() => null), worker.died]).catch(() => worker.died)
    if (first === null) {
      void worker.died.then((end) => this.#onEnd(end, began))
      return
    }
    this.#worker = null
    if (!first.isPassing) throw first.error
    this.#onEnd(first, began)
  }

  #onEnd({ error }: FleetThreadEnd, began: number): void {
    const { log, onEvent } = this.#parts
    this.#worker = null
    onEvent({ kind: 'announced', blocks: [] })
    if (this.#isClosing) return
    const isFirst = this.#pause === 0 || this.#now() - began > LONG_LIFE
    this.#pause = isFirst ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, 2 * this.#pause)
    log.error({ err: error, pause: this.#pause }, 'the fleet thread ended and is started again')
    this.#timer = setTimeout(() => {
      void this.start().catch((failure: unknown) =>
        // What could be used at the start can be used later: fleet, credentials and streams may be mended.
        this.#onEnd({ error: failure as FleetThreadEnd['error'], isPassing: true }, this.#now()),
      )
    }, this.#pause)
  }
}
