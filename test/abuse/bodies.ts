import { connect } from 'node:net'
import { type Attack, call, post, SocketCrowd } from './attack.ts'

const STATUS_LINE = 'HTTP/1.1 '

/** Sends a body on many connections again and again, each time as soon as it has the answer. */
function bodies(name: string, connections: number, body: string): Attack {
  return {
    name: `${name}: ${connections} connections`,
    start: (target) => {
      const bytes = post(target.path, body)
      let answers = 0
      const crowd = new SocketCrowd(connections, target, (localAddress) => {
        const socket = connect({ port: target.port, host: '127.0.0.1', localAddress }, () =>
          socket.write(bytes),
        )
        let left = 0
        socket.on('data', (data: Buffer) => {
          if (left === 0) left = announced(data)
          left -= data.length
          if (left > 0) return
          left = 0
          answers += 1
          socket.write(bytes)
        })
        return socket
      })
      return { summary: () => `${answers} answers, ${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}

/** Bytes of an answer whose head comes first; those that came where there is none. */
function announced(data: Buffer): number {
  const text = data.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const [, length] = /content-length: (\d+)/i.exec(text) ?? []
  return text.startsWith(STATUS_LINE) && end > 0 && length !== undefined
    ? end + 4 + Number(length)
    : data.length
}

/** Batches of objects that are no requests. */
export function emptyElements(connections: number, elements: number): Attack {
  return bodies('empty elements', connections, `[${Array(elements).fill('{}').join(',')}]`)
}

/** Requests whose parameters do not fit. */
export function wrongParams(connections: number): Attack {
  return bodies('wrong params', connections, call('eth_getBalance', '0x12', 'never'))
}

/** Batches of requests for methods that do not exist. */
export function unknownMethods(connections: number, elements: number): Attack {
  const one = call('eth_nothingOfThisName')
  return bodies('unknown methods', connections, `[${Array(elements).fill(one).join(',')}]`)
}
