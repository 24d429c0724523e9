import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { FleetFrontEvent, FleetFrontService, FleetThreadService } from '../../fleet/interface.ts'
import type { Logger } from '../../observe/logger.ts'
import { createProxy, serve } from '../../workers/proxy.ts'
import { KeptThread, type LifeParts } from '../keptThread.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'
import type { FleetThreadSetup } from './fleetThread.ts'

const KIND = {
  name: 'fleet',
  title: 'the fleet thread',
  code: 'FLEET_THREAD',
  patience: 2000,
  firstPause: 500,
  longestPause: 15_000,
  longLife: 60_000,
} as const

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

/** The fleet thread as the front thread has it, whichever it is by now. */
export class FleetHandle {
  /** Starts it, and waits until it takes part or is to be started again. */
  readonly start: () => Promise<void>
  /** Seconds in which the present thread was not idle. */
  readonly busySeconds: () => number
  readonly close: () => Promise<void>
  #service: FleetThreadService | null = null

  constructor(parts: FleetHandleParts) {
    const { entry, log, onEvent } = parts
    const thread = new KeptThread({
      kind: { ...KIND, entry },
      log,
      begin: () => this.#begin(parts),
      onFailed: () => onEvent({ kind: 'announced', blocks: [] }),
    })
    this.start = () => thread.keepStarting()
    this.busySeconds = () => thread.busySeconds()
    this.close = () => thread.close()
  }

  /** Its services for this thread; null while there is no thread. */
  get service(): FleetThreadService | null {
    return this.#service
  }

  #begin({ options, connectChain, front, onEvent }: FleetHandleParts): LifeParts<never> {
    const chain = connectChain()
    const { port1, port2 } = new MessageChannel()
    const data: FleetThreadSetup = { options, front: port2, chain }
    this.#service = createProxy<FleetThreadService, FleetFrontEvent>(port1, onEvent)
    serve<FleetFrontService>(port1, front)
    // The thread itself keeps the process running.
    port1.unref()
    return {
      data,
      ports: [port2, chain],
      onGone: () => {
        this.#service = null
        port1.close()
      },
    }
  }
}
