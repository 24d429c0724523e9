import { move, workerData } from 'piscina'
import type { Interrupt, NodeContext } from '../rpc/context.ts'
import { METHODS } from '../rpc/methods.ts'
import { decodeRequests, encodeAnswers, type PoolTask, type WorkerSetup } from './messages.ts'
import { type BatchRunner, runBatch } from './runBatch.ts'

/** What the module named in {@link WorkerSetup} exports. */
interface ContextModule {
  openNodeContext(options: unknown, interrupt: Interrupt): NodeContext | Promise<NodeContext>
  /** Called with errors that no method expects. */
  reportUnexpected?(method: string, error: unknown): void
}

const runner = openRunner(workerData as WorkerSetup)
// A context that cannot be opened is reported by each batch, not as an unhandled rejection.
runner.catch(() => undefined)

/** Entry of a pool worker: a batch of requests in, the batch of answers out, both as one buffer. */
export async function run(task: PoolTask): Promise<Uint8Array> {
  const answers = encodeAnswers(await runBatch(await runner, decodeRequests(task.batch)))
  return move(answers) as Uint8Array
}

async function openRunner(setup: WorkerSetup): Promise<BatchRunner> {
  const module = (await import(setup.contextModule)) as ContextModule
  const interrupt: Interrupt = { flags: new Int32Array(setup.interrupts), slot: 0 }
  return {
    context: await module.openNodeContext(setup.contextOptions, interrupt),
    methods: METHODS,
    maxAnswerBytes: setup.maxAnswerBytes,
    onUnexpected: module.reportUnexpected ?? (() => undefined),
  }
}
