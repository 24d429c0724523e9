import { parentPort, workerData } from 'node:worker_threads'
import { NodeError } from '../errors.ts'
import { serve } from '../proxy/proxy.ts'
import { ChainHost } from './chainHost.ts'
import type { ChainService } from './chainService.ts'
import type { ChainEvent, ChainThreadMessage, ChainThreadOrder, ChainThreadSetup } from './messages.ts'
import { packPending } from './pendingMessage.ts'

/** Entry of the chain thread. */
run(workerData as ChainThreadSetup)

function run({ options, front }: ChainThreadSetup): void {
  // Events go to the front thread in order among the answers. There are none before the chain is open.
  let sendEvent: (event: ChainEvent) => void = () => undefined
  const host = openHost(options, (event) => sendEvent(event))
  if (host === null) return
  sendEvent = serve<ChainService, ChainEvent>(front, host.service)
  const { core } = host
  parentPort?.on('message', (order: ChainThreadOrder) => {
    switch (order.kind) {
      case 'start':
        core.start()
        return
      case 'serve':
        host.serve(order.port)
        return
      case 'servePeers':
        host.servePeers(order.port)
        return
      case 'serveFleet':
        host.serveFleet(order.port)
        return
      case 'endRequests':
        core.endRequests()
        return
      case 'close':
        void core.close().then(
          () => {
            post({ kind: 'closed' })
            parentPort?.close()
          },
          // Ends the thread, and with it the process, with this error.
          (error: unknown) => queueMicrotask(() => fail(error)),
        )
    }
  })
  post({ kind: 'ready', ...host.opened })
}

function openHost(
  options: ChainThreadSetup['options'],
  onEvent: (event: ChainEvent) => void,
): ChainHost | null {
  try {
    return new ChainHost(options, {
      onEvent,
      onPending: (transactions) => onEvent({ kind: 'pending', packed: packPending(transactions) }),
      onBroken: (error) => post({ kind: 'broken', error: error.toObject() }),
    })
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    post({ kind: 'failed', error: error.toObject() })
    parentPort?.close()
    return null
  }
}

function post(message: ChainThreadMessage): void {
  parentPort?.postMessage(message)
}

function fail(error: unknown): never {
  throw error
}
