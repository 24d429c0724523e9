import { headers as createHeaders, createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import { CallRefusal, FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { MEMBER_ID } from '../memberFile.ts'
import type { FleetAnswerer, FleetCallsPort } from '../part.ts'
import type { FleetNames } from './names.ts'
import type { FleetConnection } from './natsConnection.ts'

const FROM_HEADER = 'From'
const REFUSAL_HEADER = 'Refusal'
/** `INDEX/COUNT` of a chunk of an answer. */
const CHUNK_HEADER = 'Chunk'
/** Bytes that headers of a message may need. */
const HEADER_ROOM = 1024
/** Largest answer, bytes: a server disconnects a client that has 64 MiB unread (`max_pending`). */
const LARGEST_ANSWER = 32 * 1024 * 1024
/** Bytes of unfinished answers to all calls of this member. */
const LARGEST_SUM = 128 * 1024 * 1024
/** Calls that are answered at the same time; more are refused. */
const MAX_ANSWERING = 256
const LONGEST_TEXT = 4096
const KIND = /^[a-zA-Z]{1,64}$/
const NO_RESPONDERS = 503

interface Pending {
  chunks: Buffer[]
  /** Sends the question, once more after the connection was lost. */
  readonly send: () => void
  readonly resolve: (answer: Buffer) => void
  readonly reject: (error: Error) => void
  readonly timers: readonly NodeJS.Timeout[]
}

export interface MemberCallsOptions {
  readonly connection: FleetConnection
  readonly names: FleetNames
  readonly self: MemberId
}

/**
 * Calls between members over core NATS: a question of one message, an answer of as many as it takes. Without a connection
 * a call waits for the next one, for as long as it may take; one without an answer in half its time is sent again. So what
 * is asked has to be the same when it is asked twice.
 */
export class MemberCalls implements FleetCallsPort {
  readonly #connection: FleetConnection
  readonly #names: FleetNames
  readonly #self: MemberId
  readonly #inbox = createInbox()
  readonly #subscriptions: Subscription[] = []
  readonly #pending = new Map<string, Pending>()
  readonly #endEvents: () => void
  #token = 0
  #held = 0
  #answering = 0

  constructor({ connection, names, self }: MemberCallsOptions) {
    this.#connection = connection
    this.#names = names
    this.#self = self
    this.#subscribe(`${this.#inbox}.*`, (message) => this.#take(message))
    this.#endEvents = connection.onEvent(({ kind }) => {
      if (kind === 'connected') this.#sendAgain()
    })
  }

  serve(service: string, answer: FleetAnswerer): () => void {
    const subscription = this.#subscribe(this.#names.service(this.#self, service), (message) => {
      void this.#answer(answer, message)
    })
    return () => subscription.unsubscribe()
  }

  call(member: MemberId, service: string, payload: Uint8Array, milliseconds: number): Promise<Buffer> {
    const { maxPayload, nats } = this.#connection
    if (payload.length > maxPayload - HEADER_ROOM)
      return Promise.reject(new FleetError('TooLarge', `a call of ${payload.length} bytes`))
    this.#token += 1
    const token = this.#token.toString(36)
    const headers = createHeaders()
    headers.set(FROM_HEADER, this.#self)
    return new Promise((resolve, reject) => {
      const late = () =>
        this.#fail(
          token,
          new FleetError('Timeout', `${member} did not answer ${service} in ${milliseconds} ms`),
        )
      const timer = setTimeout(late, milliseconds)
      const again = setTimeout(() => {
        if (this.#pending.get(token)?.chunks.length === 0 && this.#connection.isConnected) send()
      }, milliseconds / 2)
      const send = () =>
        nats.publish(this.#names.service(member, service), payload, {
          headers,
          reply: `${this.#inbox}.${token}`,
        })
      this.#pending.set(token, { chunks: [], send, resolve, reject, timers: [timer, again] })
      if (this.#connection.isConnected) send()
    })
  }

  /** Sends again all that was lost with the connection: the other member may be asked for the same twice. */
  #sendAgain(): void {
    for (const call of this.#pending.values()) {
      for (const chunk of call.chunks) this.#held -= chunk.length
      call.chunks = []
      call.send()
    }
  }

  close(): void {
    this.#endEvents()
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe()
    for (const token of [...this.#pending.keys()])
      this.#fail(token, new FleetError('Closed', 'this member leaves'))
  }

  #subscribe(subject: string, handler: (message: Msg) => void): Subscription {
    const subscription = this.#connection.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) handler(message)
      },
    })
    this.#subscriptions.push(subscription)
    return subscription
  }

  #take({ subject, headers, data }: Msg): void {
    const token = subject.slice(this.#inbox.length + 1)
    const call = this.#pending.get(token)
    if (call === undefined) return
    if (headers?.code === NO_RESPONDERS) {
      this.#fail(token, new FleetError('NoMember', 'the member is away'))
      return
    }
    const refusal = headers?.get(REFUSAL_HEADER) ?? ''
    if (refusal !== '') {
      const text = Buffer.from(data.subarray(0, LONGEST_TEXT)).toString()
      this.#fail(token, new CallRefusal(KIND.test(refusal) ? refusal : 'internal', text))
      return
    }
    const [index, count] = (headers?.get(CHUNK_HEADER) ?? '0/1').split('/').map(Number)
    const isInOrder = index === call.chunks.length && Number.isSafeInteger(count)
    if (!isInOrder) {
      this.#fail(token, new FleetError('Malformed', 'an answer is not in order'))
      return
    }
    call.chunks.push(Buffer.from(data))
    this.#held += data.length
    const bytes = call.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (bytes > LARGEST_ANSWER || this.#held > LARGEST_SUM) {
      this.#fail(token, new FleetError('TooLarge', 'an answer is too large'))
      return
    }
    if (call.chunks.length < Number(count)) return
    const { resolve, chunks } = call
    this.#end(token)
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  }

  async #answer(answer: FleetAnswerer, message: Msg): Promise<void> {
    const from = message.headers?.get(FROM_HEADER) ?? ''
    if (!MEMBER_ID.test(from) || message.reply === undefined) return
    if (this.#answering >= MAX_ANSWERING) {
      this.#refuse(message, 'busy', 'too many calls at once')
      return
    }
    this.#answering += 1
    try {
      this.#send(message, Buffer.from(await answer(Buffer.from(message.data), from)))
    } catch (error) {
      const { kind, message: text } = error as Partial<CallRefusal>
      const isTold = typeof kind === 'string' && KIND.test(kind)
      this.#refuse(message, isTold ? kind : 'internal', isTold ? (text ?? '') : 'the call failed')
    } finally {
      this.#answering -= 1
    }
  }

  #send(message: Msg, answer: Buffer): void {
    if (answer.length > LARGEST_ANSWER) {
      this.#refuse(message, 'tooLarge', 'the answer is too large')
      return
    }
    const size = this.#connection.maxPayload - HEADER_ROOM
    const count = Math.max(1, Math.ceil(answer.length / size))
    for (let index = 0; index < count; index += 1) {
      const headers = createHeaders()
      headers.set(CHUNK_HEADER, `${index}/${count}`)
      message.respond(answer.subarray(index * size, (index + 1) * size), { headers })
    }
  }

  #refuse(message: Msg, kind: string, text: string): void {
    const headers = createHeaders()
    headers.set(REFUSAL_HEADER, kind)
    message.respond(Buffer.from(text.slice(0, LONGEST_TEXT)), { headers })
  }

  #fail(token: string, error: Error): void {
    const call = this.#pending.get(token)
    this.#end(token)
    call?.reject(error)
  }

  #end(token: string): void {
    const call = this.#pending.get(token)
    if (call === undefined) return
    for (const timer of call.timers) clearTimeout(timer)
    this.#pending.delete(token)
    for (const chunk of call.chunks) this.#held -= chunk.length
  }
}
