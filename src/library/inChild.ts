import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CodedError } from '../util/codedError.ts'
import { workerEntry } from '../util/entry.ts'
import type { ChildMessage, ChildOrder } from './childMessages.ts'
import type { StartRequest } from './inProcess.ts'
import type { StartedNode } from './startedNode.ts'

/** Time beyond the limits of requests in which the process has to end, milliseconds. */
const END_LIMIT = 5000

/** The process of a node failed, or reported why it cannot continue. */
export class ChildError extends CodedError<string> {
  override readonly name = 'ChildError'
}

/**
 * Starts a node in a process of its own, which ends when this one does.
 * @throws ChildError with the code of the failure
 */
export async function startInChild(request: StartRequest): Promise<StartedNode> {
  const child = forkEntry(request)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    // A process that was never created has no exit.
    child.once('error', () => resolve())
  })
  let isStopping = false
  let fail: (error: ChildError) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => undefined)
  const ready = new Promise<StartedNode['metadata']>((resolve) => {
    child.on('message', (message: ChildMessage) => {
      if (message.kind === 'ready') resolve(message.metadata)
      else fail(new ChildError(message.code, message.message))
    })
  })
  child.on('error', (cause) => fail(new ChildError('CHILD_ENDED', cause.message, { cause })))
  child.on('exit', (code, signal) => {
    if (!isStopping) fail(new ChildError('CHILD_ENDED', `the process of the node ended (${signal ?? code})`))
  })
  const stop = async () => {
    isStopping = true
    send(child, { kind: 'stop' })
    const limit = (request.config.drainDelay + request.config.drainTimeout) * 1000 + END_LIMIT
    const late = setTimeout(() => child.kill('SIGKILL'), limit)
    await ended
    clearTimeout(late)
  }
  send(child, { kind: 'start', request })
  try {
    return { metadata: await Promise.race([ready, failed]), failed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function forkEntry({ config }: StartRequest): ChildProcess {
  const entry = fileURLToPath(workerEntry('./childMain.ts', import.meta.url))
  return fork(entry, [], {
    serialization: 'advanced',
    // Flags of the caller, such as those of its inspector, do not apply to the node; sources need their
    // loader.
    execArgv: entry.endsWith('.ts') ? process.execArgv : [],
    stdio: ['ignore', 'ignore', config.logLevel === 'silent' ? 'ignore' : 'inherit', 'ipc'],
  })
}

function send(child: ChildProcess, order: ChildOrder): void {
  // If the process ended, its exit event says so.
  if (child.connected) child.send(order, () => undefined)
}
