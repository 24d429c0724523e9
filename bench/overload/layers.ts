import type { Change } from '../../test/support/testBuild.ts'

/** One of the things that keep clients from disturbing each other, and what of the source switches it off. */
export interface Layer {
  readonly name: string
  readonly off: readonly Change[]
}

/** What stands between a quiet client and a noisy one. `bench -- overload --ablate` switches off one at a time. */
export const LAYERS: readonly Layer[] = [
  {
    name: 'rate of large answers while others ask',
    off: [
      {
        file: 'front/answerPacer.ts',
        find: 'if (!this.#recent.hasOther(client, this.#clock - ASKS_STEPS)) return true',
        replace: 'return true',
      },
    ],
  },
  {
    name: 'turns of large answers',
    off: [
      {
        file: 'front/httpExchange.ts',
        find: 'if (body.length > LARGE_BYTES && !this.#parts.metrics.draining) {',
        replace: 'if (false) {',
      },
    ],
  },
  {
    name: 'last worker left to others',
    off: [
      {
        file: 'gateway/scheduler/workerLimiter.ts',
        find: 'if (capacity === 1 || (this.#batches.get(client) ?? 0) < capacity - 1) return true',
        replace: 'return true',
      },
    ],
  },
  {
    name: 'queues by client',
    off: [
      {
        file: 'gateway/scheduler/laneQueue.ts',
        find: 'queueOf({ client = NOBODY }: Ticket): ClientQueue {',
        replace: 'queueOf(_: Ticket): ClientQueue { const client = NOBODY',
      },
    ],
  },
  {
    name: 'batches by measured time',
    off: [
      {
        file: 'gateway/scheduler/laneQueue.ts',
        find: 'if (taken.length > 0 && expected + cost > BATCH_MILLISECONDS) break',
        replace: '',
      },
    ],
  },
  {
    name: 'unfinished batches come back',
    off: [
      {
        file: 'workers/runBatch.ts',
        find: 'if (ended - start < BATCH_MILLISECONDS) continue',
        replace: 'continue',
      },
    ],
  },
  {
    name: 'requests and time of one client in a turn',
    off: [
      {
        file: 'gateway/scheduler/frontWork.ts',
        find: 'if (client.waiting > 0 || this.isSpent(client)) return false',
        replace: '',
      },
    ],
  },
  {
    name: 'niceness of workers',
    off: [
      {
        file: 'node/parts/workersPart.ts',
        find: 'const CALLS_NICENESS = 2',
        replace: 'const CALLS_NICENESS = 0',
      },
      {
        file: 'node/parts/workersPart.ts',
        find: 'const SCANS_NICENESS = 5',
        replace: 'const SCANS_NICENESS = 0',
      },
    ],
  },
  {
    name: 'threads of their own for scans',
    off: [
      {
        file: 'gateway/scheduler/lanes.ts',
        find: "scan: { pool: 'scans', batch: 8 }",
        replace: "scan: { pool: 'calls', batch: 8 }",
      },
      {
        file: 'gateway/scheduler/lanes.ts',
        find: "trace: { pool: 'scans', batch: 8 }",
        replace: "trace: { pool: 'calls', batch: 8 }",
      },
    ],
  },
]
