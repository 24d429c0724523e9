import { parentPort } from 'node:worker_threads'
import { FleetError } from '../../fleet/errors.ts'
import type {
  FleetChainEvent,
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetTeller,
  FleetThreadService,
} from '../../fleet/interface.ts'
import { openMemberId } from '../../fleet/memberFile.ts'
import { FleetRuntime } from '../../fleet/runtime/fleetRuntime.ts'
import { createLogger } from '../../observe/logger.ts'
import { createProxy, serve } from '../../workers/proxy.ts'
import { NodeError } from '../errors.ts'
import { createFleetParts } from './fleetParts.ts'
import type { FleetThreadMessage, FleetThreadOrder, FleetThreadSetup } from './messages.ts'

/** All of the fleet thread, until it is told to close. What nobody catches ends this thread alone. */
export async function runFleetThread({ options, front, chain }: FleetThreadSetup): Promise<void> {
  const { logLevel: level, logFormat: format } = options.log
  const log = createLogger({ level, format }).child({ part: 'fleet' })
  process.once('uncaughtException', (error) => {
    post({ kind: 'died', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    process.exit(1)
  })
  let tell: (event: FleetFrontEvent) => void = () => undefined
  let runtime: FleetRuntime
  try {
    runtime = new FleetRuntime({
      options: { ...options.fleet, self: openMemberId(options.fleet.dataDir) },
      chain: createProxy<FleetChainService, FleetChainEvent>(chain, (event) => runtime.onChainEvent(event)),
      front: createProxy<FleetFrontService>(front),
      log,
      parts: createFleetParts(options),
      tell: (event) => tell(event),
    })
  } catch (error) {
    if (!(error instanceof FleetError)) throw error
    post({ kind: 'failed', error: new NodeError('FLEET_THREAD', error.message).toObject() })
    parentPort?.close()
    return
  }
  serve<FleetTeller>(chain, {
    tell: (transactions) => runtime.tellTransactions(transactions),
    tellWork: async (template) => runtime.tellWork(template),
  })
  tell = serve<FleetThreadService, FleetFrontEvent>(front, {
    call: (...args) => runtime.call(...args),
    drain: () => runtime.drain(),
    toPart: async (part, message) => runtime.toPart(part, message),
  })
  parentPort?.on('message', (_order: FleetThreadOrder) => {
    void runtime.stop().then(() => {
      front.close()
      chain.close()
      post({ kind: 'closed' })
      parentPort?.close()
    })
  })
  await runtime.start()
  post({ kind: 'ready' })
}

function post(message: FleetThreadMessage): void {
  parentPort?.postMessage(message)
}
