import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Between two pieces, so that they arrive apart, milliseconds. */
const PAUSE = 30
/** Silence after which nothing more is expected, milliseconds. */
const SILENCE = 300

/** What came back for bytes that were sent. */
export interface RawOutcome {
  /** Status codes of the answers, in order, without 100. */
  readonly statuses: readonly number[]
  /** Whether the server ended the connection. */
  readonly closed: boolean
}

/** Sends pieces on a connection of its own and waits until the server has nothing more to say. */
export async function sendRaw(port: number, pieces: readonly string[]): Promise<RawOutcome> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let received = ''
  let closed = false
  let last = performance.now()
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    last = performance.now()
  })
  socket.on('close', () => {
    closed = true
  })
  socket.on('error', () => undefined)
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    await sleep(PAUSE)
    last = performance.now()
  }
  while (!closed && performance.now() - last < SILENCE) await sleep(10)
  socket.destroy()
  const codes = [...received.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map((match) => Number(match[1]))
  return { statuses: codes.filter((code) => code !== 100), closed }
}
