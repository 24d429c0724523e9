import { randomBytes } from 'node:crypto'
import { type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { headers as createHeaders } from '@nats-io/transport-node'
import { FleetError, toFleetError } from '../errors.ts'
import { HEADER_ROOM } from '../nats/calls.ts'
import { CHUNK_HEADER, ChunkAssembler, chunkHeader, parseChunkHeader, splitChunks } from '../nats/chunks.ts'
import { FleetNames } from '../nats/names.ts'
import { endWhenSilent, HEARTBEAT } from '../nats/readStream.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'

/** Service of the leader: somebody mines at another member (fleet.md §8). */
const WORK_SERVICE = 'work'
const ID_HEADER = 'Work'
const WORK_ID = /^[0-9a-f]{16}$/
/** Largest template, bytes. */
const LARGEST = 8 * 1024 * 1024
const INCOMPLETE_BYTES = 32 * 1024 * 1024
const LIFETIME = 30_000
/** Milliseconds for the stream to acknowledge a chunk: a miner waits for it. */
const TIMEOUT = 2000
/** Milliseconds between two questions to the leader. */
const ASK_PERIOD = 1000
const PAUSE = 250
/** Milliseconds between two messages about the same trouble. */
const COMPLAINT_PERIOD = 60_000

/** Templates for pools in the fleet thread (fleet.md §8): the leader's go to the stream, those of the stream to the chain. */
export class WorkPart implements FleetPart {
  readonly name = 'work'
  #running: WorkFlow | null = null

  async start(context: FleetPartContext): Promise<void> {
    this.#running = new WorkFlow(context)
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    this.#running = null
  }

  reconnected(): void {
    this.#running?.interrupt()
  }

  /** Gives a template to all members. @throws FleetError when the stream does not have it for sure */
  async publish(template: Buffer): Promise<void> {
    if (this.#running === null) throw new FleetError('Closed', 'this member is not in its fleet')
    await this.#running.publish(template)
  }

  /** Tells the leader that somebody mines here. */
  ask(): void {
    this.#running?.ask()
  }
}

class WorkFlow {
  readonly #context: FleetPartContext
  readonly #names: FleetNames
  readonly #assembler = new ChunkAssembler(
    { message: LARGEST, source: INCOMPLETE_BYTES, total: INCOMPLETE_BYTES, lifetime: LIFETIME },
    () => performance.now(),
  )
  readonly #end: () => void
  readonly #running: Promise<void>
  #messages: ConsumerMessages | null = null
  #isStopped = false
  #askedAt = Number.NEGATIVE_INFINITY
  #complainedAt = Number.NEGATIVE_INFINITY

  constructor(context: FleetPartContext) {
    this.#context = context
    this.#names = new FleetNames(context.fleet)
    this.#end = context.calls.serve(WORK_SERVICE, async () => {
      if (context.view.isLeader) await context.chain.buildWork()
      return Buffer.alloc(0)
    })
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#end()
    this.#messages?.stop()
    await this.#running
  }

  interrupt(): void {
    this.#messages?.stop()
  }

  async publish(template: Buffer): Promise<void> {
    const { jetstream, connection, view, count } = this.#context
    if (!view.isLeader) throw new FleetError('Failed', 'another member builds work by now')
    const id = randomBytes(8).toString('hex')
    const size = (connection.info?.max_payload ?? LARGEST) - HEADER_ROOM
    const chunks = splitChunks(template, size)
    try {
      await Promise.all(
        chunks.map((chunk, index) => {
          const headers = createHeaders()
          headers.set(ID_HEADER, id)
          headers.set(CHUNK_HEADER, chunkHeader({ index, count: chunks.length }))
          const msgID = `${id}-${index}`
          return jetstream.publish(this.#names.workSubject, chunk, { headers, msgID, timeout: TIMEOUT })
        }),
      )
    } catch (error) {
      throw toFleetError(error, 'work cannot be given to the other members')
    }
    count('work_published')
  }

  ask(): void {
    const { calls, view } = this.#context
    const now = performance.now()
    if (view.leader === null || view.isLeader || now - this.#askedAt < ASK_PERIOD) return
    this.#askedAt = now
    const call = { service: WORK_SERVICE, payload: Buffer.alloc(0), milliseconds: TIMEOUT, mostBytes: 16 }
    // Whoever mines asks again.
    calls.call(view.leader, call).catch(() => undefined)
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#consume()
      } catch (error) {
        this.#complain('work of the fleet is read anew', error)
      }
      if (!this.#isStopped) await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  }

  /** Reads what the stream keeps, so that a member that starts has the newest templates, then what comes. */
  async #consume(): Promise<void> {
    const consumer = await this.#context.jetstream.consumers.get(this.#names.work, {
      deliver_policy: DeliverPolicy.All,
    })
    const messages = await consumer.consume({ max_messages: 64, idle_heartbeat: HEARTBEAT })
    endWhenSilent(messages)
    this.#messages = messages
    try {
      for await (const message of messages) await this.#take(message)
    } finally {
      this.#messages = null
      messages.stop()
    }
  }

  async #take({ headers, data }: JsMsg): Promise<void> {
    const { view, chain, count } = this.#context
    const id = headers?.get(ID_HEADER) ?? ''
    const place = parseChunkHeader(headers?.get(CHUNK_HEADER) ?? '')
    if (place === null || !WORK_ID.test(id)) {
      count('work_skipped')
      return
    }
    const outcome = this.#assembler.add('', id, place, data)
    if (outcome.kind === 'refused') count('work_skipped')
    if (outcome.kind !== 'complete' || view.isLeader) return
    try {
      await chain.takeWork(outcome.message)
      count('work_taken')
    } catch (error) {
      count('work_skipped')
      this.#complain('work of the fleet is left out', error)
    }
  }

  #complain(text: string, error: unknown): void {
    const now = performance.now()
    if (now - this.#complainedAt < COMPLAINT_PERIOD) return
    this.#complainedAt = now
    this.#context.log.warn({ err: error }, text)
  }
}
