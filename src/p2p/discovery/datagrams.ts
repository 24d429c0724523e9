import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'
import type { Logger } from '../../observe/logger.ts'
import { MAX_PACKET_BYTES } from './packet.ts'

/** Most buffered bytes; further datagrams are dropped, as networks do. */
const MAX_WAITING_BYTES = 512 * 1024

/** A datagram transport. */
export interface DatagramTransport {
  /** Sends without confirmation. */
  send(bytes: Buffer, port: number, address: string): void
  /** Local port. */
  readonly port: number
  close(): Promise<void>
}

/** Handles a datagram and its source. */
export type DatagramListener = (bytes: Buffer, address: string, port: number) => void

/** Opens a transport; tests may supply their own. */
export type OpenDatagrams = (listener: DatagramListener) => Promise<DatagramTransport>

/**
 * Datagrams of a UDP socket.
 * @param host address that it listens on, `0.0.0.0` and `::` for all
 * @throws Error when the port is unavailable
 */
export async function openUdp(
  host: string,
  port: number,
  logger: Logger,
  listener: DatagramListener,
): Promise<DatagramTransport> {
  const isSix = isIPv6(host)
  const socket = createSocket({ type: isSix ? 'udp6' : 'udp4' })
  socket.bind(port, host)
  await once(socket, 'listening')
  socket.on('error', (error) =>
    logger.warn({ reason: error.message }, 'the UDP socket of peers has an error'),
  )
  socket.on('message', (bytes, from) => {
    if (bytes.length <= MAX_PACKET_BYTES) listener(bytes, from.address, from.port)
  })
  return {
    port: socket.address().port,
    send: (bytes, port, address) => {
      // A socket of IPv4 reaches no other address; one of IPv6 reaches IPv4 by the mapped form.
      if (!isSix && !isIPv4(address)) return
      if (socket.getSendQueueSize() + bytes.length > MAX_WAITING_BYTES) return
      send(socket, bytes, port, isSix && isIPv4(address) ? `::ffff:${address}` : address, logger)
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function send(socket: Socket, bytes: Buffer, port: number, address: string, logger: Logger): void {
  try {
    socket.send(bytes, port, address, (error) => {
      if (error !== null) logger.trace({ address, reason: error.message }, 'a datagram was not sent')
    })
  } catch (error) {
    logger.trace({ address, reason: (error as Error).message }, 'a datagram was not sent')
  }
}
