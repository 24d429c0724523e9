import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import type { CallReport } from '../../rpc/reports/executionReports.ts'
import type { WorkerReports } from './wantedReports.ts'

/** Takes the reports of workers to the front thread. */
export class WorkerChannel {
  /** The name of the channel that workers report over, and what they report. */
  readonly ofWorkers: WorkerReports
  readonly #incoming: BroadcastChannel

  /** @param onReport called with each report of a worker */
  constructor(verbosity: WorkerReports['verbosity'], onReport: (report: CallReport) => void) {
    this.ofWorkers = { channel: `rhizome reports ${randomUUID()}`, verbosity }
    this.#incoming = new BroadcastChannel(this.ofWorkers.channel)
    this.#incoming.onmessage = (event) => onReport((event as { data: CallReport }).data)
    // It keeps no process running. (The types of Node.js lack the method's result.)
    this.#incoming.unref()
  }

  /** Takes no more reports. */
  close(): void {
    this.#incoming.close()
  }
}
