import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { type Attack, post, SocketCrowd } from './attack.ts'

const SECONDS = 20

/**
 * A batch whose answer is some megabytes: so many times the code that a call puts into the state.
 */
function heavyBatch(): string {
  const address = `0x${'ab'.repeat(20)}`
  // Returns 48 KiB of zeros: PUSH3 00c000 PUSH1 0 RETURN.
  const code = '0x6200c0006000f3'
  const element = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_call',
    params: [{ to: address }, 'latest', { [address]: { code } }],
  })
  return JSON.stringify(Array.from({ length: 50 }, (_, id) => element(id)))
}

/** HTTP clients that ask for large answers and never read. */
export function unreadHttp(clients: number): Attack {
  return {
    name: `${clients} HTTP clients that never read`,
    seconds: SECONDS,
    start: ({ port, keyPath }) => {
      const bytes = post(keyPath, heavyBatch())
      const crowd = new SocketCrowd(clients, () => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.pause()
          socket.write(bytes)
        })
        return socket
      })
      return { summary: () => `${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}

/** WebSockets that ask for large answers again and again and never read. */
export function unreadWebSockets(clients: number): Attack {
  return {
    name: `${clients} WebSockets that never read`,
    seconds: SECONDS,
    start: ({ port, keyPath }) => {
      const message = frame(Buffer.from(heavyBatch()))
      const crowd = new SocketCrowd(clients, () => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(
            `GET ${keyPath} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
              `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
          )
          socket.pause()
          const timer = setInterval(() => socket.write(message), 500)
          socket.once('close', () => clearInterval(timer))
        })
        return socket
      })
      return { summary: () => `${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}

/** A text frame as clients send it (RFC 6455 §5.2), masked with zeros. */
function frame(payload: Buffer): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x81
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, payload])
}
