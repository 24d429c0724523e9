import { workerData } from 'node:worker_threads'
import type { FleetThreadSetup } from './messages.ts'
import { runFleetThread } from './runFleetThread.ts'

/** Entry of the fleet thread. */
await runFleetThread(workerData as FleetThreadSetup)
