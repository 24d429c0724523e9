import { connect } from 'node:net'
import { type Attack, call, post, SocketCrowd } from './attack.ts'

const CONNECTIONS = 200

/**
 * Requests with a wrong key on many connections, written as fast as the server reads.
 * @param pipelined requests that are sent before an answer came; 1 waits for each
 */
export function refusedFlood(pipelined: number): Attack {
  const bytes = post('/wrong', call('eth_chainId')).repeat(pipelined)
  return {
    name:
      pipelined === 1
        ? '200 connections, refused requests'
        : `200 connections that pipeline ${pipelined} refused requests`,
    start: (target) => {
      let answers = 0
      const crowd = new SocketCrowd(CONNECTIONS, target, (localAddress) => {
        const socket = connect({ port: target.port, host: '127.0.0.1', localAddress }, () =>
          socket.write(bytes),
        )
        let seen = 0
        socket.on('data', (data) => {
          const count = data.toString('latin1').split('HTTP/1.1 401').length - 1
          answers += count
          seen += count
          if (seen < pipelined) return
          seen = 0
          socket.write(bytes)
        })
        return socket
      })
      return { summary: () => `${answers} answers, ${crowd.opened} connections`, stop: () => crowd.stop() }
    },
  }
}
