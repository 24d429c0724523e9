import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** Bits of the first byte of a frame (RFC 6455 §5.2). */
const FIN = 0x80
/** Bit of the second byte: clients mask what they send. */
const MASKED = 0x80

/** What a frame is. */
export const OPCODES = { continuation: 0, text: 1, ping: 9, pong: 10 } as const

/** How a frame is written. */
export interface FrameForm {
  readonly opcode?: keyof typeof OPCODES
  /** Whether it is the last one of its message. @default true */
  readonly isLast?: boolean
  /** Length that the head announces. @default that of the payload */
  readonly announced?: number
}

/** A frame as clients send it, masked with zeros. */
export function frame(
  payload: Buffer,
  { opcode = 'text', isLast = true, announced }: FrameForm = {},
): Buffer {
  const length = announced ?? payload.length
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + size + 4)
  head[0] = (isLast ? FIN : 0) | OPCODES[opcode]
  head[1] = MASKED | (size === 0 ? length : size === 2 ? 126 : 127)
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

/** Where a WebSocket goes and comes from. */
export interface WebSocketTarget {
  readonly port: number
  readonly path: string
  readonly localAddress: string
}

/**
 * Opens a WebSocket of which only bytes are sent.
 * @param onOpen called when the server has agreed
 */
export function openRawWebSocket(
  { port, path, localAddress }: WebSocketTarget,
  onOpen: (socket: Socket) => void,
): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
  })
  socket.on('error', () => undefined)
  socket.once('data', (data: Buffer) => {
    if (data.toString('latin1').startsWith('HTTP/1.1 101')) onOpen(socket)
    else socket.destroy()
  })
  return socket
}
