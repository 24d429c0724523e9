import {
  headers as createHeaders,
  createInbox,
  type Msg,
  type MsgHdrs,
  type Subscription,
} from '@nats-io/transport-node'
import { CallRefusal, FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { type CallHandler, type CallServiceOptions, toRefusal } from './callTypes.ts'
import { CHUNK_HEADER, type ChunkPlace, chunkHeader, parseChunkHeader, splitChunks } from './chunks.ts'
import { type FleetNames, MEMBER_ID } from './names.ts'
import type { FleetConnection } from './natsConnection.ts'
import { pack, unpack } from './packed.ts'
import { ServiceQueue } from './serviceQueue.ts'

const FROM_HEADER = 'From'
const DEADLINE_HEADER = 'Deadline'
const LIMIT_HEADER = 'Limit'
const REFUSAL_HEADER = 'Refusal'

/** Bytes that headers of a message may need. */
export const HEADER_ROOM = 1024
/** Largest answer, bytes: a server disconnects a client that has 64 MiB unread (`max_pending`). */
export const LARGEST_ANSWER = 32 * 1024 * 1024
/** Bytes of an answer that are sent before the server must have taken them. */
const FLUSH_EVERY = 4 * 1024 * 1024
/** Bytes of unfinished answers to all calls of this member. */
const LARGEST_SUM = 256 * 1024 * 1024
const LONGEST_DEADLINE = 600_000
const LARGEST_REFUSAL = 64 * 1024
const NO_RESPONDERS = 503

/** Bounds of a call. */
export interface CallOptions {
  /** When the caller gives up, milliseconds from now. */
  readonly milliseconds: number
  /** Largest answer that the caller takes, bytes; at most {@link LARGEST_ANSWER}. */
  readonly limit: number
}

interface PendingCall {
  readonly limit: number
  readonly chunks: Buffer[]
  bytes: number
  readonly timer: NodeJS.Timeout
  readonly resolve: (answer: Buffer) => void
  readonly reject: (error: Error) => void
}

export interface MemberCallsOptions {
  readonly connection: FleetConnection
  readonly names: FleetNames
  readonly self: MemberId
}

/** Calls to and from other members over core NATS (fleet.md §10). Payloads are bytes, mostly of `packed.ts`. */
export class MemberCalls {
  readonly #connection: FleetConnection
  readonly #names: FleetNames
  readonly #self: MemberId
  readonly #services = new Map<string, ServiceQueue>()
  readonly #pending = new Map<string, PendingCall>()
  readonly #inbox = createInbox()
  readonly #answers: Subscription
  readonly #subscriptions = new Map<string, readonly Subscription[]>()
  #token = 0
  #held = 0

  constructor({ connection, names, self }: MemberCallsOptions) {
    this.#connection = connection
    this.#names = names
    this.#self = self
    this.#answers = connection.nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#take(message)
      },
    })
  }

  /**
   * Answers calls of other members.
   * @returns takes no more calls; those that run go on
   * @throws FleetError `BadName`
   */
  serve(service: string, handler: CallHandler, options: CallServiceOptions): () => void {
    const queue = new ServiceQueue(handler, options)
    const { nats } = this.#connection
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) this.#answer(queue, message)
    }
    const subscriptions = [nats.subscribe(this.#names.serviceSubject(this.#self, service), { callback })]
    if (options.isShared === true) {
      subscriptions.push(nats.subscribe(this.#names.anySubject(service), { queue: service, callback }))
    }
    this.#services.set(service, queue)
    this.#subscriptions.set(service, subscriptions)
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
      this.#services.delete(service)
      this.#subscriptions.delete(service)
    }
  }

  /**
   * Calls one member; this member itself is called without NATS.
   * @throws CallRefusal what it refused
   * @throws FleetError `Timeout`, `NoMember`, `TooLarge`, `Unreachable`, `Malformed`, `Closed`
   */
  async call(member: MemberId, service: string, payload: Uint8Array, options: CallOptions): Promise<Buffer> {
    if (member === this.#self) return this.#callSelf(service, payload, options)
    return this.#send(this.#names.serviceSubject(member, service), payload, options)
  }

  /**
   * Calls whichever other member NATS chooses among those that offer the service to all.
   * @throws as {@link MemberCalls.call}
   */
  async callAny(service: string, payload: Uint8Array, options: CallOptions): Promise<Buffer> {
    return this.#send(this.#names.anySubject(service), payload, options)
  }

  /** Calls that wait for their answer. */
  get pending(): number {
    return this.#pending.size
  }

  close(): void {
    this.#answers.unsubscribe()
    for (const subscriptions of this.#subscriptions.values()) {
      for (const subscription of subscriptions) subscription.unsubscribe()
    }
    for (const token of [...this.#pending.keys()]) {
      this.#fail(token, new FleetError('Closed', 'this member leaves the fleet'))
    }
  }

  async #callSelf(service: string, payload: Uint8Array, { milliseconds }: CallOptions): Promise<Buffer> {
    const queue = this.#services.get(service)
    if (queue === undefined) throw new FleetError('NoMember', `this member has no service ${service}`)
    try {
      return Buffer.from(await queue.run(Buffer.from(payload), this.#self, milliseconds))
    } catch (error) {
      const { kind, message, data } = toRefusal(error)
      throw new CallRefusal(kind, message, data)
    }
  }

  #send(subject: string, payload: Uint8Array, { milliseconds, limit }: CallOptions): Promise<Buffer> {
    const { isConnected, maxPayload, nats } = this.#connection
    if (!isConnected) return Promise.reject(new FleetError('Unreachable', 'not connected to NATS'))
    if (payload.length > maxPayload - HEADER_ROOM) {
      const text = `a call of ${payload.length} bytes is above max_payload of the NATS server (${maxPayload})`
      return Promise.reject(new FleetError('TooLarge', text))
    }
    const deadline = Math.min(Math.max(1, Math.ceil(milliseconds)), LONGEST_DEADLINE)
    const bound = Math.min(limit, LARGEST_ANSWER)
    this.#token += 1
    const token = this.#token.toString(36)
    const headers = createHeaders()
    headers.set(FROM_HEADER, this.#self)
    headers.set(DEADLINE_HEADER, String(deadline))
    headers.set(LIMIT_HEADER, String(bound))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(token, new FleetError('Timeout', `no answer to ${subject} within ${deadline} ms`)),
        deadline,
      )
      this.#pending.set(token, { limit: bound, chunks: [], bytes: 0, timer, resolve, reject })
      try {
        nats.publish(subject, payload, { headers, reply: `${this.#inbox}.${token}` })
      } catch (error) {
        this.#fail(token, new FleetError('Unreachable', 'the connection to NATS is closed', { cause: error }))
      }
    })
  }

  #take({ subject, headers, data }: Msg): void {
    const token = subject.slice(this.#inbox.length + 1)
    const call = this.#pending.get(token)
    if (call === undefined) return
    if (headers?.code === NO_RESPONDERS) {
      this.#fail(token, new FleetError('NoMember', 'no member offers this service, or it is away'))
      return
    }
    const refusal = headers?.get(REFUSAL_HEADER) ?? ''
    if (refusal !== '') {
      this.#fail(token, parseRefusal(refusal, data))
      return
    }
    const place = parseChunkHeader(headers?.get(CHUNK_HEADER) ?? '')
    // One member answers, over one connection: its chunks come in order.
    if (place === null || place.index !== call.chunks.length) {
      this.#fail(token, new FleetError('Malformed', 'the chunks of an answer are not in order'))
      return
    }
    this.#keep(token, call, place, data)
  }

  #keep(token: string, call: PendingCall, { index, count }: ChunkPlace, data: Uint8Array): void {
    call.bytes += data.length
    this.#held += data.length
    if (call.bytes > call.limit) {
      this.#fail(token, new FleetError('TooLarge', `an answer is above the limit of ${call.limit} bytes`))
    } else if (this.#held > LARGEST_SUM) {
      this.#fail(
        token,
        new FleetError('TooLarge', 'the answers that this member waits for take too much memory'),
      )
    } else {
      call.chunks.push(Buffer.from(data))
      if (index < count - 1) return
      const answer = call.chunks.length === 1 ? (call.chunks[0] as Buffer) : Buffer.concat(call.chunks)
      this.#end(token)?.resolve(answer)
    }
  }

  #fail(token: string, error: Error): void {
    this.#end(token)?.reject(error)
  }

  #end(token: string): PendingCall | undefined {
    const call = this.#pending.get(token)
    if (call === undefined) return undefined
    this.#pending.delete(token)
    clearTimeout(call.timer)
    this.#held -= call.bytes
    return call
  }

  #answer(queue: ServiceQueue, message: Msg): void {
    const from = message.headers?.get(FROM_HEADER) ?? ''
    const deadline = boundedNumber(message.headers, DEADLINE_HEADER, LONGEST_DEADLINE)
    const limit = boundedNumber(message.headers, LIMIT_HEADER, LARGEST_ANSWER)
    if (message.reply === undefined || !MEMBER_ID.test(from) || deadline === null || limit === null) return
    void queue
      .run(Buffer.from(message.data), from, deadline)
      .then((answer) => {
        if (answer.length <= limit) return this.#reply(message, answer)
        return this.#refuse(message, new CallRefusal('tooLarge', `the answer has ${answer.length} bytes`))
      })
      .catch((error: unknown) => this.#refuse(message, error))
      // The connection is gone: the caller gives up by its deadline.
      .catch(() => undefined)
  }

  async #reply(message: Msg, answer: Uint8Array): Promise<void> {
    const { maxPayload, nats } = this.#connection
    const chunks = splitChunks(answer, maxPayload - HEADER_ROOM)
    let unflushed = 0
    for (const [index, chunk] of chunks.entries()) {
      const headers = createHeaders()
      headers.set(CHUNK_HEADER, chunkHeader({ index, count: chunks.length }))
      message.respond(chunk, { headers })
      unflushed += chunk.length
      if (unflushed < FLUSH_EVERY) continue
      await nats.flush()
      unflushed = 0
    }
  }

  #refuse(message: Msg, error: unknown): void {
    const { kind, message: text, data } = toRefusal(error)
    const headers = createHeaders()
    headers.set(REFUSAL_HEADER, kind)
    message.respond(pack({ message: text, data }), { headers })
  }
}

function boundedNumber(headers: MsgHdrs | undefined, name: string, most: number): number | null {
  const text = headers?.get(name) ?? ''
  return /^\d{1,12}$/.test(text) ? Math.min(Number(text), most) : null
}

function parseRefusal(kind: string, bytes: Uint8Array): Error {
  try {
    const { message, data } = unpack(bytes, LARGEST_REFUSAL) as Partial<Pick<CallRefusal, 'message' | 'data'>>
    return new CallRefusal(kind.slice(0, 64), String(message), data)
  } catch (error) {
    return new FleetError('Malformed', 'a refusal does not parse', { cause: error })
  }
}
