import { MessageChannel, type MessagePort, parentPort } from 'node:worker_threads'
import { move, workerData } from 'piscina'
import type { Interrupt, NodeContext } from '../rpc/context.ts'
import { METHODS } from '../rpc/methods.ts'
import {
  decodeRequests,
  encodeAnswers,
  type PoolTask,
  type WorkerHello,
  type WorkerSetup,
} from './messages.ts'
import { type BatchRunner, runBatch } from './runBatch.ts'

/** What the module named in {@link WorkerSetup} exports. */
interface ContextModule {
  openNodeContext(
    options: unknown,
    interrupt: Interrupt,
    chain: MessagePort,
  ): NodeContext | Promise<NodeContext>
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
    context: await module.openNodeContext(setup.contextOptions, interrupt, openChainPort()),
    methods: METHODS,
    maxAnswerBytes: setup.maxAnswerBytes,
    onUnexpected: module.reportUnexpected ?? (() => undefined),
  }
}

/** A port to the chain thread: its other end goes to the front thread, which hands it on. */
function openChainPort(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  const message: WorkerHello = { chainPort: port2 }
  parentPort?.postMessage(message, [port2])
  // An idle port keeps no worker alive.
  port1.unref()
  return port1
}
