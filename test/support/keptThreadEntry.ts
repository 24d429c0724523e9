import { parentPort, workerData } from 'node:worker_threads'
import type { LifeMessage } from '../../src/node/keptThread.ts'

/** What such a thread is started with. */
export type KeptThreadFate = 'works' | 'refuses' | 'throws'

/** Facts that it reports of itself besides. */
export interface KeptThreadEcho {
  readonly kind: 'echo'
  readonly text: unknown
}

/** Entry of a thread for tests of `KeptThread`: it gives back what it receives, throws `throw`, or ends by itself. */
const fate = workerData as KeptThreadFate
const post = (message: LifeMessage<string> | KeptThreadEcho) => parentPort?.postMessage(message)
process.once('uncaughtException', (error) => {
  post({ kind: 'died', stack: (error as Error).stack ?? '' })
  process.exit(1)
})
if (fate === 'throws') throw new Error('thrown at the start')
if (fate === 'refuses') {
  post({ kind: 'failed', error: { code: 'PEERS', message: 'refused' } })
  parentPort?.close()
} else {
  parentPort?.on('message', (order: { readonly kind: string }) => {
    if (order.kind === 'close') {
      post({ kind: 'closed' })
      parentPort?.close()
    } else if (order.kind === 'throw') throw new Error('thrown later')
    else if (order.kind === 'exit') process.exit(7)
    else post({ kind: 'echo', text: order.kind })
  })
  post({ kind: 'ready', value: 'works' })
}
