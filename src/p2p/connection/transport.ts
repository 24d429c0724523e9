import { connect, type Socket } from 'node:net'
import { P2pError } from '../wire/p2pError.ts'
import type { Connection } from './connection.ts'
import type { ConnectionOptions } from './connectionOptions.ts'
import { HandshakeSocket } from './handshakeSocket.ts'
import { RlpxConnection } from './rlpxConnection.ts'
import { initiate, type RlpxSession, respond } from './rlpxSession.ts'

/** The node to dial. */
export interface DialTarget {
  /** IP address. */
  readonly address: string
  readonly port: number
  /** Node id: 128 hex digits. */
  readonly id: string
}

/**
 * Connects: TCP, handshake and both HELLO, within the deadlines for connecting and the handshake.
 * @param signal aborts it
 * @throws P2pError
 */
export async function dial(
  target: DialTarget,
  options: ConnectionOptions,
  signal?: AbortSignal,
): Promise<Connection> {
  const remoteId = Buffer.from(target.id, 'hex')
  const socket = await connectTcp(target, options, signal)
  return open(socket, false, options, signal, (io) => initiate(io, remoteId, options))
}

/**
 * Accepts a connection. The socket is destroyed when it fails.
 * @param socket that is unread
 * @param signal aborts it
 * @throws P2pError
 */
export async function accept(
  socket: Socket,
  options: ConnectionOptions,
  signal?: AbortSignal,
): Promise<Connection> {
  return open(socket, true, options, signal, (io) => respond(io, options))
}

async function open(
  socket: Socket,
  inbound: boolean,
  options: ConnectionOptions,
  signal: AbortSignal | undefined,
  shakeHands: (io: HandshakeSocket) => Promise<RlpxSession>,
): Promise<Connection> {
  socket.setNoDelay(true)
  const io = new HandshakeSocket(socket, options.timings.handshake, signal)
  try {
    const session = await shakeHands(io)
    io.release()
    return new RlpxConnection(socket, inbound, session, options)
  } catch (error) {
    io.end(error)
    throw error
  }
}

function connectTcp(
  target: DialTarget,
  { localAddress, timings }: ConnectionOptions,
  signal?: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const from = localAddress === undefined ? {} : { localAddress }
    const socket = connect({ host: target.address, port: target.port, noDelay: true, ...from })
    const timer = setTimeout(
      () => fail(new P2pError('TIMEOUT', 'not connected in time')),
      timings.connect,
    ).unref()
    const onAbort = (): void => fail(new P2pError('ABORTED', 'the connection is not wanted any more'))
    const onError = (cause: Error): void => fail(new P2pError('UNREACHABLE', cause.message, { cause }))
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      socket.off('error', onError)
    }
    const fail = (error: P2pError): void => {
      settle()
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    signal?.addEventListener('abort', onAbort)
    socket.on('error', onError).once('connect', () => {
      settle()
      resolve(socket)
    })
    if (signal?.aborted === true) onAbort()
  })
}
