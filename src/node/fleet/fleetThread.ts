import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { shareAccess } from '../../fleet/access/shareAccess.ts'
import type {
  FleetAnnouncer,
  FleetChainEvent,
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetThreadService,
} from '../../fleet/interface.ts'
import { openMemberId } from '../../fleet/memberFile.ts'
import { FleetRuntime } from '../../fleet/runtime/fleetRuntime.ts'
import { shareWork } from '../../fleet/work/workPart.ts'
import { MAX_TEMPLATE_BYTES } from '../../mining/workTemplate.ts'
import { createLogger } from '../../observe/logger.ts'
import type { LifeMessage, LifeOrder } from '../keptThread.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'
import { createProxy, serve } from '../proxy/proxy.ts'

/** The options with which the fleet thread is started. */
export interface FleetThreadSetup {
  readonly options: FleetOptions
  /** To the front thread: it serves `FleetFrontService` and has `FleetThreadService` with the events `FleetFrontEvent`. */
  readonly front: MessagePort
  /** To the chain thread: it serves `FleetChainService` with `FleetChainEvent` and has `FleetAnnouncer`. */
  readonly chain: MessagePort
}

/** Entry of the fleet thread, which runs until it is asked to close. What nobody catches ends this thread alone. */
await run(workerData as FleetThreadSetup)

async function run({ options, front, chain }: FleetThreadSetup): Promise<void> {
  const { fleet, log: logged } = options
  let notify: (event: FleetFrontEvent) => void = () => undefined
  const runtime: FleetRuntime = new FleetRuntime({
    options: { ...fleet, self: openMemberId(fleet.dataDir) },
    chain: createProxy<FleetChainService, FleetChainEvent>(chain, (event) => runtime.onChainEvent(event)),
    front: createProxy<FleetFrontService>(front),
    log: createLogger(logged).child({ part: 'fleet' }),
    parts: [shareAccess, (context) => shareWork(context, MAX_TEMPLATE_BYTES)],
    notify: (event) => notify(event),
  })
  serve<FleetAnnouncer>(chain, {
    announce: (transactions) => runtime.announceTransactions(transactions),
    announceWork: async (template) => runtime.announceWork(template),
  })
  notify = serve<FleetThreadService, FleetFrontEvent>(front, {
    askFilter: (...args) => runtime.askFilter(...args),
    drain: () => runtime.drain(),
    counted: async (message) => runtime.counted(message),
  })
  parentPort?.on('message', (_order: LifeOrder) => {
    void runtime.stop().then(() => {
      front.close()
      chain.close()
      post({ kind: 'closed' })
      parentPort?.close()
    })
  })
  await runtime.start()
  post({ kind: 'ready', value: undefined })
}

function post(message: LifeMessage): void {
  parentPort?.postMessage(message)
}
