import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Chance } from './chance.ts'
import { faultOfAnswer, isSilent, parse } from './checkAnswer.ts'
import { ANSWER_LIMIT_MS } from './httpTraffic.ts'

/** Frames after which a connection is left for a new one. */
const FRAMES_PER_SOCKET = 200
/** Asked behind a frame that may have no answer. */
const SENTINEL_ID = 'behind'
const SENTINEL = `{"jsonrpc":"2.0","id":"${SENTINEL_ID}","method":"net_version","params":[]}`

/** Bodies as frames of a WebSocket, one after the other, with notifications of subscriptions in between. */
export class SocketTraffic {
  readonly #url: string
  #socket: WebSocket | null = null
  #frames = 0
  /** Answers that nobody has asked for yet. */
  #arrived: string[] = []
  #onMessage: ((text: string) => void) | undefined
  #onClose: ((code: number) => void) | undefined

  constructor(url: string) {
    this.#url = url.replace('http', 'ws')
  }

  /** Sends one frame and says what is wrong with what came back, or null. */
  async send(chance: Chance, body: Buffer): Promise<string | null> {
    const socket = await this.#connected()
    this.#frames += 1
    if (chance.happens(0.02)) return this.#storm(chance, socket)
    if (chance.happens(0.02)) socket.ping(chance.bytes(chance.below(126)))
    const answer = this.#nextAnswer()
    // An empty frame, and one that may be a notification, need not be answered.
    const asked = parse(body.toString('utf8'))
    const mayBeSilent = body.length === 0 || isSilent(asked)
    sendFrames(chance, socket, body)
    if (mayBeSilent) socket.send(SENTINEL)
    const text = await answer
    if (mayBeSilent) {
      if (isSentinel(text)) {
        // What begins like a request may still be answered, later than the sentinel.
        if (asked === undefined) this.close()
        return null
      }
      const sentinel = await this.#nextAnswer()
      if (!isSentinel(sentinel)) return 'two answers to one frame'
    }
    return faultOfAnswer(body, 200, text)
  }

  close(): void {
    this.#socket?.terminate()
    this.#socket = null
  }

  async #connected(): Promise<WebSocket> {
    if (this.#socket !== null && this.#frames < FRAMES_PER_SOCKET) return this.#socket
    // Without a goodbye: the node has to find out by itself.
    this.close()
    const socket = new WebSocket(this.#url)
    await once(socket, 'open')
    socket.on('message', (data) => {
      const text = String(data)
      if (!text.startsWith('{"jsonrpc":"2.0","method":"eth_subscription"')) this.#receive(text)
    })
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      if (this.#socket !== socket) return
      this.#socket = null
      this.#onClose?.(code)
    })
    this.#socket = socket
    this.#frames = 0
    this.#arrived = []
    return socket
  }

  #receive(text: string): void {
    const take = this.#onMessage
    this.#onMessage = undefined
    if (take === undefined) this.#arrived.push(text)
    else take(text)
  }

  #nextAnswer(): Promise<string> {
    const arrived = this.#arrived.shift()
    if (arrived !== undefined) return Promise.resolve(arrived)
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('no answer in time')), ANSWER_LIMIT_MS)
      this.#onMessage = (text) => {
        clearTimeout(limit)
        resolve(text)
      }
      this.#onClose = (code) => {
        clearTimeout(limit)
        reject(new Error(`the node closed the WebSocket with code ${code}`))
      }
    })
  }

  /** Many subscriptions, most of them cancelled, and that twice; the rest is left to the end of the socket. */
  async #storm(chance: Chance, socket: WebSocket): Promise<string | null> {
    const kinds = ['newHeads', 'logs', 'newPendingTransactions', 'syncing']
    const subscribed = Array.from({ length: 20 + chance.below(100) }, () => [chance.pick(kinds)])
    const { handles, fault } = await this.#askAll(socket, 'eth_subscribe', subscribed)
    if (fault !== null) return fault
    const left = handles.filter(() => chance.happens(0.7)).flatMap((handle) => [[handle], [handle]])
    return (await this.#askAll(socket, 'eth_unsubscribe', left)).fault
  }

  /** Sends all without waiting, then takes all answers. */
  async #askAll(socket: WebSocket, method: string, params: readonly (readonly string[])[]) {
    for (const values of params) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: values }))
    }
    const handles: string[] = []
    for (const _ of params) {
      const text = await this.#nextAnswer()
      const fault = faultOfAnswer(Buffer.from('{"id":1,"method":""}'), 200, text)
      if (fault !== null) return { handles, fault }
      const { result } = (parse(text)?.value ?? {}) as { readonly result?: unknown }
      if (typeof result === 'string') handles.push(result)
    }
    return { handles, fault: null }
  }
}

/** One message: text or binary, in one frame or several. */
function sendFrames(chance: Chance, socket: WebSocket, body: Buffer): void {
  // What is no UTF-8 may not travel as text (RFC 6455 §8.1).
  const binary = !isText(body) || chance.happens(0.1)
  if (body.length < 2 || chance.happens(0.85)) {
    socket.send(body, { binary })
    return
  }
  const cuts = Array.from({ length: 1 + chance.below(5) }, () => chance.below(body.length)).sort(
    (a, b) => a - b,
  )
  let from = 0
  for (const cut of cuts) {
    socket.send(body.subarray(from, cut), { binary, fin: false })
    from = cut
    if (chance.happens(0.1)) socket.ping()
  }
  socket.send(body.subarray(from), { binary, fin: true })
}

function isText(body: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body)
    return true
  } catch {
    return false
  }
}

function isSentinel(text: string): boolean {
  return text.includes(`"id":"${SENTINEL_ID}"`)
}
