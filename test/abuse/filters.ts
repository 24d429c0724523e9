import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { type Attack, call, post, SocketCrowd } from './attack.ts'

const ADDRESSES = 100_000

function criteria(count: number): { address: string[] } {
  return { address: Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`) }
}

/** Installs filters one after the other. */
export function manyFilters(filters: number, addresses: number = ADDRESSES): Attack {
  return {
    name: `${filters} filters of ${addresses} addresses`,
    start: (target) => {
      const bytes = post(target.path, call('eth_newFilter', criteria(addresses)))
      const seen = { installed: 0, refused: 0 }
      const crowd = new SocketCrowd(1, target, (localAddress) => {
        const socket = connect({ port: target.port, host: '127.0.0.1', localAddress }, () =>
          socket.write(bytes),
        )
        socket.on('data', (data) => {
          const text = data.toString('latin1')
          if (!text.includes('{"jsonrpc"')) return
          if (text.includes('"result"')) seen.installed += 1
          else seen.refused += 1
          if (seen.installed + seen.refused < filters)
            setTimeout(() => socket.destroyed || socket.write(bytes), 10)
        })
        return socket
      })
      return {
        summary: () => `${seen.installed} installed, ${seen.refused} refused`,
        stop: () => crowd.stop(),
      }
    },
  }
}

/** Subscribes to logs again and again on one WebSocket. */
export function manySubscriptions(subscriptions: number): Attack {
  return {
    name: `${subscriptions} subscriptions of ${ADDRESSES} addresses on a WebSocket`,
    start: ({ port, path, addresses }) => {
      const text = call('eth_subscribe', 'logs', criteria(ADDRESSES))
      const seen = { made: 0, refused: 0 }
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
        localAddress: addresses[0] ?? '127.0.0.1',
      })
      socket.on('error', () => undefined)
      socket.on('open', () => socket.send(text))
      socket.on('message', (data: Buffer) => {
        if (data.includes('"result"')) seen.made += 1
        else seen.refused += 1
        if (seen.made + seen.refused < subscriptions) setTimeout(() => socket.send(text), 10)
      })
      return { summary: () => `${seen.made} made, ${seen.refused} refused`, stop: () => socket.terminate() }
    },
  }
}
