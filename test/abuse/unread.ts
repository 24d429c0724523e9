import { connect } from 'node:net'
import { type Attack, call, post, SocketCrowd } from './attack.ts'
import { frame, openRawWebSocket } from './rawWebSocket.ts'

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
    start: (target) => {
      const bytes = post(target.path, heavyBatch())
      const crowd = new SocketCrowd(clients, target, (localAddress) => {
        const socket = connect({ port: target.port, host: '127.0.0.1', localAddress }, () => {
          socket.pause()
          socket.write(bytes)
        })
        return socket
      })
      return { summary: () => `${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}

/** WebSockets that send messages in a period and never read. */
function unread(name: string, clients: number, messages: Buffer, period: number): Attack {
  return {
    name,
    start: (target) => {
      const crowd = new SocketCrowd(clients, target, (localAddress) =>
        openRawWebSocket({ ...target, localAddress }, (socket) => {
          socket.pause()
          const timer = setInterval(() => socket.write(messages), period)
          socket.once('close', () => clearInterval(timer))
        }),
      )
      return { summary: () => `${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}

/** WebSockets that ask for large answers again and again and never read. */
export function unreadWebSockets(clients: number): Attack {
  return unread(`${clients} WebSockets that never read`, clients, frame(Buffer.from(heavyBatch())), 500)
}

/** WebSockets that ask many short calls at once again and again and never read. */
export function unreadCalls(clients: number, calls: number): Attack {
  const one = frame(
    Buffer.from(call('eth_call', { to: `0x${'ab'.repeat(20)}`, data: '0x12345678' }, 'latest')),
  )
  const messages = Buffer.concat(Array<Buffer>(calls).fill(one))
  return unread(`unread sockets: ${clients} WebSockets with ${calls} calls at once`, clients, messages, 400)
}
