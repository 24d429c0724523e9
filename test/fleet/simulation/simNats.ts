import type { Msg, NatsConnection, PublishOptions, Subscription } from '@nats-io/transport-node'
import type { FleetConnection, FleetConnectionEvent } from '../../../src/fleet/nats/natsConnection.ts'
import type { SimProcess, VirtualTime } from './virtualTime.ts'

/** Milliseconds until a client sees that its server is silent, and until it has found it again. */
const NOTICED_AFTER = 1500
const FOUND_AFTER = 300

interface Listener {
  readonly subject: string
  readonly take: (message: Msg) => void
}

/**
 * Core NATS between simulated members: at most once, in order for each pair, with delays, losses and cuts. What a cut
 * holds up is lost when an end notices, and comes late when it is healed before.
 */
export class SimNats {
  readonly clients: SimClient[] = []
  /** Share of messages that is lost. */
  loss = 0
  /** UseReport of each message that a client sends. */
  onPublish: (from: SimClient, subject: string, data: Buffer) => void = () => undefined
  /** UseReport of each message that a client hears. */
  onDeliver: (to: SimClient, subject: string, data: Buffer) => void = () => undefined
  readonly time: VirtualTime
  readonly #random: () => number

  constructor(time: VirtualTime, random: () => number) {
    this.time = time
    this.#random = random
  }

  send(from: SimClient, subject: string, data: Uint8Array, options: PublishOptions = {}): void {
    let heard = false
    for (const client of this.clients) {
      if (client === from || !client.owner.isAlive) continue
      const listeners = client.listening(subject)
      heard ||= listeners.length > 0
      if (listeners.length === 0 || this.#random() < this.loss) continue
      const bytes = Uint8Array.from(data)
      const message = {
        subject,
        data: bytes,
        headers: options.headers,
        reply: options.reply,
        respond: (answer: Uint8Array, more: PublishOptions) => {
          client.publish(options.reply ?? '', answer, more)
          return true
        },
      } as unknown as Msg
      client.deliver(from, 0.3 + this.#random() * 2, () => {
        this.onDeliver(client, subject, Buffer.from(bytes))
        for (const { take } of listeners) take(message)
      })
    }
    if (heard || options.reply === undefined) return
    const nobody = {
      subject: options.reply,
      data: new Uint8Array(),
      headers: { code: 503, get: () => '' },
    } as unknown as Msg
    for (const { take } of from.listening(options.reply)) from.deliver(from, 1, () => take(nobody))
  }
}

/** The connection of a simulated process. */
export class SimClient implements FleetConnection {
  readonly owner: SimProcess
  readonly maxPayload = 1_048_576
  ping(): void {}
  readonly nats: NatsConnection
  isConnected = true
  /** Whether what it sends arrives, and what is sent to it. */
  sends = true
  hears = true
  readonly #bus: SimNats
  readonly #listeners = new Set<Listener>()
  readonly #events = new Set<(event: FleetConnectionEvent) => void>()
  readonly #lastAt = new Map<SimClient, number>()
  #held: (() => void)[] = []

  constructor(bus: SimNats, owner: SimProcess) {
    this.#bus = bus
    this.owner = owner
    bus.clients.push(this)
    const nats = {
      info: { max_payload: this.maxPayload },
      options: {},
      getServer: () => 'simulated',
      flush: async () => undefined,
      subscribe: (subject: string, { callback }: { callback: (error: null, message: Msg) => void }) => {
        const listener = { subject, take: (message: Msg) => callback(null, message) }
        this.#listeners.add(listener)
        return {
          unsubscribe: () => void this.#listeners.delete(listener),
        } as unknown as Subscription
      },
      publish: (subject: string, data: Uint8Array | string = '', options?: PublishOptions) =>
        this.publish(subject, Buffer.from(data as Uint8Array), options),
    }
    this.nats = nats as unknown as NatsConnection
  }

  listening(subject: string): readonly Listener[] {
    return [...this.#listeners].filter(
      (listener) =>
        listener.subject === subject ||
        (listener.subject.endsWith('.*') && subject.startsWith(listener.subject.slice(0, -1))),
    )
  }

  publish(subject: string, data: Uint8Array, options?: PublishOptions): void {
    if (!this.owner.isAlive || !this.isConnected) return
    this.#bus.onPublish(this, subject, Buffer.from(data))
    const send = () => this.#bus.send(this, subject, data, options)
    if (this.sends) send()
    else this.#held.push(send)
  }

  /** In order of what one client sent. */
  deliver(from: SimClient, delay: number, act: () => void): void {
    const { time } = this.#bus
    if (!this.isConnected) return
    if (!this.hears) {
      this.#held.push(() => this.deliver(from, delay, act))
      return
    }
    const at = Math.max(time.now + delay, this.#lastAt.get(from) ?? 0)
    this.#lastAt.set(from, at)
    time.after(at - time.now, act, this.owner)
  }

  /** Loses messages of one or both ways; both ends notice after a while. */
  cut(sends: boolean, hears: boolean): void {
    this.sends = sends
    this.hears = hears
    this.#bus.time.after(
      NOTICED_AFTER,
      () => {
        if (!(this.sends && this.hears)) this.#become(false)
      },
      this.owner,
    )
  }

  heal(): void {
    this.#bus.time.after(
      FOUND_AFTER,
      () => {
        this.sends = true
        this.hears = true
        for (const act of this.#held.splice(0)) act()
        this.#become(true)
      },
      this.owner,
    )
  }

  onEvent(listener: (event: FleetConnectionEvent) => void): void {
    this.#events.add(listener)
  }

  async close(): Promise<void> {
    this.isConnected = false
  }

  #become(isConnected: boolean): void {
    if (this.isConnected === isConnected) return
    this.isConnected = isConnected
    this.#held = []
    for (const listener of this.#events)
      listener(
        isConnected
          ? { kind: 'connected', server: 'simulated', version: '2.12.0' }
          : { kind: 'disconnected', server: 'simulated' },
      )
  }
}
