import { headers as createHeaders, createInbox, type Msg } from '@nats-io/transport-node'
import { FleetError } from '../errors.ts'
import type { MemberId } from '../member.ts'
import type { FleetNames } from './names.ts'
import type { FleetConnection } from './natsConnection.ts'

/** Of the answer of a member that refuses a call: the bytes are the reason. */
const REFUSAL_HEADER = 'Refusal'
/** `INDEX/COUNT` of a chunk of an answer. */
const CHUNK_HEADER = 'Chunk'
/** Bytes that headers of a message may need. */
const HEADER_BYTES = 1024
/** Largest answer, bytes: a server disconnects a client that has 64 MiB unread (`max_pending`). */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024
/** Bytes of unfinished answers to all calls of this member. */
const MAX_SUM_BYTES = 128 * 1024 * 1024
/** Calls that are answered at the same time; more are refused. */
const MAX_ANSWERING = 256
const MAX_TEXT_CHARACTERS = 4096
const NO_RESPONDERS = 503

interface Pending {
  chunks: Buffer[]
  /** Sends the question, once more after the connection was lost. */
  send(): void
  end(outcome: Buffer | FleetError): void
}

/** Answers the calls of a service. What it throws reaches the caller as a refusal: the message of a {@link FleetError}. */
export type FleetAnswerer = (payload: Buffer) => Promise<Uint8Array>

/**
 * Calls between members over core NATS: a question of one message, an answer of as many as it takes. Without a connection
 * a call waits for the next one, for as long as it may take; one without an answer in half its time is sent again. So what
 * is asked has to be the same when it is asked twice.
 */
export class MemberCalls {
  readonly #connection: FleetConnection
  readonly #names: FleetNames
  readonly #self: MemberId
  readonly #inbox = createInbox()
  readonly #pending = new Map<string, Pending>()
  #token = 0
  #held = 0
  #answering = 0

  constructor(connection: FleetConnection, names: FleetNames, self: MemberId) {
    this.#connection = connection
    this.#names = names
    this.#self = self
    this.#subscribe(`${this.#inbox}.*`, (message) => this.#take(message))
    connection.onEvent(({ kind }) => {
      if (kind !== 'connected') return
      // What was under way is lost: the other member may be asked for the same twice.
      for (const call of this.#pending.values()) {
        this.#drop(call)
        call.send()
      }
    })
  }

  /** Answers a service on this member for as long as it is connected. */
  serve(service: string, answer: FleetAnswerer): void {
    this.#subscribe(this.#names.service(this.#self, service), (message) => void this.#answer(answer, message))
  }

  /** @throws FleetError `NoMember`, `Timeout`, `TooLarge`, `Malformed`, `Failed` for what the member refused */
  call(member: MemberId, service: string, payload: Uint8Array, milliseconds: number): Promise<Buffer> {
    const { maxPayload, nats } = this.#connection
    if (payload.length > maxPayload - HEADER_BYTES)
      return Promise.reject(new FleetError('TooLarge', `a call of ${payload.length} bytes`))
    this.#token += 1
    const token = this.#token.toString(36)
    return new Promise((resolve, reject) => {
      const send = () => {
        if (this.#connection.isConnected)
          nats.publish(this.#names.service(member, service), payload, { reply: `${this.#inbox}.${token}` })
      }
      const text = `${member} did not answer ${service} in ${milliseconds} ms`
      const late = setTimeout(() => call.end(new FleetError('Timeout', text)), milliseconds)
      const again = setTimeout(() => call.chunks.length === 0 && send(), milliseconds / 2)
      const end = (outcome: Buffer | FleetError) => {
        for (const timer of [late, again]) clearTimeout(timer)
        this.#pending.delete(token)
        this.#drop(call)
        if (outcome instanceof FleetError) reject(outcome)
        else resolve(outcome)
      }
      const call: Pending = { chunks: [], send, end }
      this.#pending.set(token, call)
      send()
    })
  }

  close(): void {
    for (const call of this.#pending.values()) call.end(new FleetError('Closed', 'this member leaves'))
  }

  #subscribe(subject: string, handler: (message: Msg) => void): void {
    this.#connection.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) handler(message)
      },
    })
  }

  #take(message: Msg): void {
    const call = this.#pending.get(message.subject.slice(this.#inbox.length + 1))
    const outcome = call === undefined ? null : this.#outcomeOf(call, message)
    if (outcome !== null) call?.end(outcome)
  }

  /** Null while more of the answer is to come. */
  #outcomeOf({ chunks }: Pending, { headers, data }: Msg): Buffer | FleetError | null {
    if (headers?.code === NO_RESPONDERS) return new FleetError('NoMember', 'the member is away')
    const bytes = Buffer.from(data)
    if ((headers?.get(REFUSAL_HEADER) ?? '') !== '')
      return new FleetError('Failed', bytes.toString('utf8', 0, MAX_TEXT_CHARACTERS))
    const [index, count = 0] = (headers?.get(CHUNK_HEADER) ?? '0/1').split('/').map(Number)
    if (index !== chunks.length || !Number.isSafeInteger(count))
      return new FleetError('Malformed', 'an answer is not in order')
    chunks.push(bytes)
    this.#held += bytes.length
    if (sizeOf(chunks) > MAX_ANSWER_BYTES || this.#held > MAX_SUM_BYTES)
      return new FleetError('TooLarge', 'an answer is too large')
    if (chunks.length < count) return null
    return count > 1 ? Buffer.concat(chunks) : bytes
  }

  async #answer(answer: FleetAnswerer, message: Msg): Promise<void> {
    this.#answering += 1
    try {
      if (this.#answering > MAX_ANSWERING) throw new FleetError('Failed', 'too many calls at once')
      const bytes = await answer(Buffer.from(message.data))
      if (bytes.length > MAX_ANSWER_BYTES) throw new FleetError('TooLarge', 'the answer is too large')
      const size = this.#connection.maxPayload - HEADER_BYTES
      const count = Math.max(1, Math.ceil(bytes.length / size))
      for (let index = 0; index < count; index += 1)
        respond(message, CHUNK_HEADER, `${index}/${count}`, bytes.subarray(index * size, (index + 1) * size))
    } catch (error) {
      const text = error instanceof FleetError ? error.message : 'the call failed'
      respond(message, REFUSAL_HEADER, 'yes', Buffer.from(text.slice(0, MAX_TEXT_CHARACTERS)))
    } finally {
      this.#answering -= 1
    }
  }

  #drop(call: Pending): void {
    this.#held -= sizeOf(call.chunks)
    call.chunks = []
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0)
}

function respond(message: Msg, header: string, value: string, bytes: Uint8Array): void {
  const headers = createHeaders()
  headers.set(header, value)
  message.respond(bytes, { headers })
}
