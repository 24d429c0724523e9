import { rm } from 'node:fs/promises'
import { releaseTerminalsAtExit } from '../native/terminals.ts'
import type { ChildMessage, ChildOrder } from './childMessages.ts'
import { startInProcess } from './inProcess.ts'
import type { StartedNode } from './startedNode.ts'

/** Time limit for the process to end after its parent, milliseconds. */
const ORPHAN_LIMIT = 10_000

/** Entry of a process that runs one node for its parent. */
let node: Promise<StartedNode> | null = null
let folder: string | null = null
let isEnding = false

process.on('message', (order: ChildOrder) => {
  if (order.kind === 'stop') {
    void end()
    return
  }
  folder = order.request.temporaryFolder
  node = startInProcess(order.request)
  node.then(
    ({ metadata, failed }) => {
      send({ kind: 'ready', metadata })
      failed.catch(sendFailure)
    },
    (error: unknown) => {
      sendFailure(error)
      void end()
    },
  )
})
// The parent ended: nobody else would stop the node.
process.on('disconnect', () => void end())
process.on('SIGTERM', () => void end())
// A terminal also interrupts the parent, which decides what happens to the node.
process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined)
releaseTerminalsAtExit()

async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  setTimeout(() => process.exit(1), ORPHAN_LIMIT).unref()
  try {
    const started = await node?.catch(() => null)
    await started?.stop()
  } catch (error) {
    sendFailure(error)
  }
  if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  process.exit(0)
}

function sendFailure(error: unknown): void {
  const { code, message } = error as { code?: unknown; message?: unknown }
  send({
    kind: 'failed',
    code: typeof code === 'string' ? code : 'FAILED',
    message: String(message ?? error),
  })
}

function send(message: ChildMessage): void {
  // The parent may have ended; then the message is dropped.
  if (process.connected) process.send?.(message, () => undefined)
}
