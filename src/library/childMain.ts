import { rm } from 'node:fs/promises'
import type { ChildMessage, ChildOrder } from './childMessages.ts'
import { startInProcess } from './inProcess.ts'
import type { StartedNode } from './startedNode.ts'

/** Longest that the end of a process may take whose parent is gone, milliseconds. */
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
      tell({ kind: 'ready', metadata })
      failed.catch(tellFailure)
    },
    (error: unknown) => {
      tellFailure(error)
      void end()
    },
  )
})
// The parent is gone: nobody would ever stop the node.
process.on('disconnect', () => void end())
process.on('SIGTERM', () => void end())
// A terminal interrupts the parent, too, which says what becomes of the node.
process.on('SIGINT', () => undefined)

async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  setTimeout(() => process.exit(1), ORPHAN_LIMIT).unref()
  try {
    const started = await node?.catch(() => null)
    await started?.stop()
  } catch (error) {
    tellFailure(error)
  }
  if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  process.exit(0)
}

function tellFailure(error: unknown): void {
  const { code, message } = error as { code?: unknown; message?: unknown }
  tell({
    kind: 'failed',
    code: typeof code === 'string' ? code : 'FAILED',
    message: String(message ?? error),
  })
}

function tell(message: ChildMessage): void {
  // It may be gone by now; then there is nobody to tell.
  if (process.connected) process.send?.(message, () => undefined)
}
