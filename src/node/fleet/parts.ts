import type { MessagePort } from 'node:worker_threads'
import type { FleetFrontEvent, FleetFrontService, FleetThreadService } from '../../fleet/interface.ts'
import type { Logger } from '../../observe/logger.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'

/** The parts with which the fleet thread is started (`startFleetThread` of `fleetHandle.ts`). */
export interface FleetHandleParts {
  /** Module that the thread begins with. */
  readonly entry: URL
  readonly options: FleetOptions
  readonly log: Logger
  /** A new port at whose other end the chain thread serves `FleetChainService`. */
  connectChain(): MessagePort
  /** The services of the front thread for the fleet thread. */
  readonly front: FleetFrontService
  /** Called with every event, in order. */
  onEvent(event: FleetFrontEvent): void
}

/** The fleet thread as the front thread has it, whichever it is by now: one that fails is started again. */
export interface FleetHandle {
  /** Its services for this thread. @throws RpcError `filterAway` while there is no thread */
  readonly service: FleetThreadService
  /** Seconds in which the present thread was not idle. */
  busySeconds(): number
  close(): Promise<void>
}
