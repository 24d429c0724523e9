import { createConnection } from 'node:net'
import type { Chance } from './chance.ts'

/** How long a half-sent request is left to the node before the connection is cut. */
const PATIENCE_MS = 150

/** The version is refused with this status by the protocol itself (RFC 9110 §15.6.6). */
const VERSION_REFUSED = 505

/** Sends bytes that no HTTP client would, and cuts the connection. @returns what is wrong, or null */
export function sendRaw(port: number, bytes: Buffer): Promise<string | null> {
  return new Promise((resolve) => {
    let received = ''
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(bytes))
    const done = setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.on('data', (part) => {
      received += part.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(done)
      const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
      const bad = statuses.find((status) => status >= 500 && status !== VERSION_REFUSED)
      resolve(bad === undefined ? null : `raw request: HTTP status ${bad}`)
    })
  })
}

/** Bytes of a broken or unusual HTTP request, or of a WebSocket that breaks the protocol. */
export function rawBytes(chance: Chance, body: Buffer): Buffer {
  return chance.happens(0.5) ? httpBytes(chance, body) : webSocketBytes(chance, body)
}

function httpBytes(chance: Chance, body: Buffer): Buffer {
  const line = chance.pick([
    ...['POST / HTTP/1.1', 'POST  / HTTP/1.1', 'POST / HTTP/9.9', 'POST /', 'post / HTTP/1.1', ''],
    ...['PUT / HTTP/1.1', 'DELETE / HTTP/1.1', 'GET / HTTP/1.1', 'HEAD / HTTP/1.1', 'OPTIONS * HTTP/1.1'],
    ...[
      'GET /health HTTP/1.1',
      'GET /metrics HTTP/1.1',
      'PRI * HTTP/2.0',
      `POST /${'a'.repeat(20_000)} HTTP/1.1`,
    ],
  ])
  const length = chance.pick([
    ...[`Content-Length: ${body.length}`, `Content-Length: ${body.length + 5}`, 'Content-Length: -1'],
    ...['Content-Length: 99999999999999999999', 'Content-Length: x', 'Transfer-Encoding: chunked'],
    ...['Transfer-Encoding: chunked\r\nContent-Length: 3', 'Expect: 100-continue', 'Content-Length: 0'],
  ])
  const extra = chance.pick([
    ...['Host: localhost', 'Host:', 'Host: [', 'Host: a\r\nHost: b', 'X: \u0001', `X: ${'y'.repeat(9000)}`],
    ...['No colon', ': empty', 'Connection: upgrade\r\nUpgrade: h2c', 'X:a\n\n', ' folded: 1'],
  ])
  const head = Buffer.from(
    `${line}\r\n${extra}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
    'latin1',
  )
  const chunk = Buffer.concat([Buffer.from(`${chance.pick(['5', 'zz', 'fffffffff', '-1', ''])}\r\n`), body])
  const whole = Buffer.concat([head, length.includes('chunked') ? chunk : body])
  const copies = chance.happens(0.2) ? 10 : 1
  const bytes = Buffer.concat(Array.from({ length: copies }, () => whole))
  return chance.happens(0.3) ? bytes.subarray(0, chance.below(bytes.length)) : bytes
}

function webSocketBytes(chance: Chance, body: Buffer): Buffer {
  const key = chance.pick(['dGhlIHNhbXBsZSBub25jZQ==', 'short', ''])
  const version = chance.pick(['13', '13', '8', 'x'])
  const handshake = [
    'GET / HTTP/1.1',
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${key}`,
    `Sec-WebSocket-Version: ${version}`,
    ...(chance.happens(0.3) ? ['Sec-WebSocket-Extensions: permessage-deflate'] : []),
  ].join('\r\n')
  const frames = Array.from({ length: 1 + chance.below(4) }, () => brokenFrame(chance, body))
  return Buffer.concat([Buffer.from(`${handshake}\r\n\r\n`), ...frames])
}

/** A frame with any opcode, reserved bits, mask or none, and a length that need not be its own (RFC 6455 §5.2). */
function brokenFrame(chance: Chance, body: Buffer): Buffer {
  const first = chance.happens(0.5) ? 0x81 : chance.below(256)
  const masked = chance.happens(0.7) ? 0x80 : 0
  const mask = masked === 0 ? Buffer.alloc(0) : Buffer.alloc(4)
  const payload = body.subarray(0, 125)
  switch (chance.below(4)) {
    case 0:
      return Buffer.concat([Buffer.from([first, masked | 127]), Buffer.alloc(8, 0xff), mask, payload])
    case 1:
      return Buffer.concat([Buffer.from([first, masked | 126, 0, 1]), mask, payload])
    default:
      return Buffer.concat([Buffer.from([first, masked | payload.length]), mask, payload])
  }
}
