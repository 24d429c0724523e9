import type { Socket } from 'node:net'
import type { Connection } from '../../src/p2p/connection/connection.ts'
import type { PeerAddress, PeerTransport } from '../../src/p2p/peers/ports.ts'

/** Connections as a test wants them to be. */
export class FakeTransport implements PeerTransport {
  /** Nodes that were dialled. */
  readonly dialled: PeerAddress[] = []
  /** What becomes of a dial; a test says otherwise. */
  onDial: (target: PeerAddress, signal: AbortSignal) => Promise<Connection> = () =>
    Promise.reject(new Error('nobody is there'))
  onAccept: (socket: Socket, signal: AbortSignal) => Promise<Connection> = (_, signal) => untilAborted(signal)

  dial(target: PeerAddress, signal: AbortSignal): Promise<Connection> {
    this.dialled.push(target)
    return this.onDial(target, signal)
  }

  accept(socket: Socket, signal: AbortSignal): Promise<Connection> {
    return this.onAccept(socket, signal)
  }
}

/** Never comes to anything, until nobody wants it any more. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Error('given up'))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
