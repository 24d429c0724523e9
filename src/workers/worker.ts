import { MessageChannel, type MessagePort, parentPort } from 'node:worker_threads'
import { move, workerData } from 'piscina'
import type { Interrupt, NodeContext } from '../rpc/context.ts'
import { METHODS } from '../rpc/methods.ts'
import { yieldToOthers } from '../util/priority.ts'
import {
  decodeRequests,
  encodeAnswers,
  type PoolResult,
  type PoolTask,
  type WorkerHello,
  type WorkerSetup,
} from './messages.ts'
import { type BatchRunner, runBatch } from './runBatch.ts'

/** The exports of the module named in {@link WorkerSetup}. */
interface ContextModule {
  openNodeContext(
    options: unknown,
    interrupt: Interrupt,
    chain: MessagePort,
  ): NodeContext | Promise<NodeContext>
  /** Called with errors that no method expects. */
  reportUnexpected?(method: string, error: unknown): void
  /** Called after the context was opened when the system runs this thread like the others, with its reason. */
  reportPriority?(reason: string): void
}

/**
 * Milliseconds after which a worker lets its event loop turn. The pool waits for tasks inside of one turn, and what
 * Node does after a turn, such as to free the memory of native buffers, would not be done as long as there is work.
 */
const TURN_MILLISECONDS = 50
let turnedAt = performance.now()

const outputs = (workerData as WorkerSetup).outputs.map((output) => Buffer.from(output))
const runner = openRunner(workerData as WorkerSetup)
// A context that cannot be opened is reported by each batch, not as an unhandled rejection.
runner.catch(() => undefined)

/**
 * Entry of a pool worker: a batch of requests in, the batch of answers out, each as one buffer. The answers go to the
 * shared buffer of the task where they fit.
 */
export async function run(task: PoolTask): Promise<PoolResult> {
  if (performance.now() - turnedAt > TURN_MILLISECONDS) {
    await new Promise(setImmediate)
    turnedAt = performance.now()
  }
  const requests = decodeRequests(task.batch)
  const milliseconds = new Float64Array(requests.length)
  const { answers, block } = await runBatch(await runner, requests, milliseconds)
  const output = outputs[task.output]
  let isShared = false
  const batch = encodeAnswers(answers, milliseconds, block, (bytes) => {
    isShared = output !== undefined && bytes <= output.length
    return isShared && output !== undefined ? output.subarray(0, bytes) : Buffer.from(new ArrayBuffer(bytes))
  })
  return isShared ? batch.length : (move(batch) as Uint8Array)
}

async function openRunner(setup: WorkerSetup): Promise<BatchRunner> {
  const refusal = lowerPriority(setup.niceness)
  const module = (await import(setup.contextModule)) as ContextModule
  const interrupt: Interrupt = { flags: new Int32Array(setup.interrupts), slot: 0 }
  const context = await module.openNodeContext(setup.contextOptions, interrupt, openChainPort())
  if (refusal !== null) module.reportPriority?.(refusal)
  return {
    context,
    methods: METHODS,
    maxAnswerBytes: setup.maxAnswerBytes,
    reportsHead: setup.reportsHead,
    onUnexpected: module.reportUnexpected ?? (() => undefined),
  }
}

/** Elsewhere than on Linux the number would count for the whole process. */
function lowerPriority(niceness: number): string | null {
  return niceness === 0 || process.platform !== 'linux' ? null : yieldToOthers(niceness)
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
