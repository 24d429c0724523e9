import type { EventConnection } from '../../../src/filters/eventConnection.ts'
import { compareExchange, type Verdict } from '../compare.ts'
import type { Exchange } from '../exchanges.ts'
import type { Mapping } from './mapping.ts'

/** A notification of the recording with what this node sent in its place. */
export interface ComparedNotification {
  readonly exchange: Exchange
  readonly verdict: Verdict
}

/**
 * What subscribers are told. Recordings have notifications where they happened to arrive, before or behind the
 * answer to the request that brought them about: the order counts for each subscription by itself.
 */
export class Notifications implements EventConnection {
  readonly #sent: string[] = []
  readonly #recorded: Exchange[] = []

  notify(frame: Uint8Array): void {
    this.#sent.push(Buffer.from(frame).toString('utf8'))
  }

  /** Takes over a recorded notification. @returns whether it is one */
  take(exchange: Exchange): boolean {
    if (exchange.request !== null || subscriptionOf(exchange.response) === null) return false
    this.#recorded.push(exchange)
    return true
  }

  /** Compares in the names of the recording, once everything was replayed. */
  compare(mapping: Mapping, blocksAreOwn: boolean): ComparedNotification[] {
    const sent = new Map<string, string[]>()
    for (const frame of this.#sent) {
      const text = mapping.toRecorded(frame)
      const subscription = subscriptionOf(JSON.parse(text)) ?? ''
      sent.set(subscription, [...(sent.get(subscription) ?? []), text])
    }
    return this.#recorded.map((exchange) => {
      const text = sent.get(subscriptionOf(exchange.response) ?? '')?.shift()
      if (text === undefined) {
        const expected = JSON.stringify(exchange.response)
        return { exchange, verdict: { kind: 'unlisted', expected, found: 'no notification' } }
      }
      const found = mapping.align(exchange.response, JSON.parse(text), blocksAreOwn)
      return { exchange, verdict: compareExchange(exchange, { text: JSON.stringify(found), status: 200 }) }
    })
  }
}

/** The handle that a notification names; null of anything else. */
function subscriptionOf(message: unknown): string | null {
  const { method, params } = (message ?? {}) as {
    method?: unknown
    params?: { subscription?: unknown } | null
  }
  if (method !== 'eth_subscription') return null
  return typeof params?.subscription === 'string' ? params.subscription : null
}
