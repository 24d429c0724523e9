import type { HttpResponse } from 'uWebSockets.js'
import { SecondCount } from '../util/secondCount.ts'

/** Refusals that are sent in one tick. */
const MAX_REFUSED_IN_TICK = 16

/** Refusals in a second after which further ones are held back. */
const MAX_REFUSED_IN_SECOND = 200

/** Milliseconds for which refusals are held back. */
const HELD_BACK_MILLISECONDS = 200

/** The same where there are many: connections that are made again at once take most of what a refusal costs. */
const MAX_HELD_BACK_MILLISECONDS = 2000

/**
 * Bounds the refusals that one tick of the event loop sends. The library hands over every request that a socket
 * pipelined before it looks at the next socket: thousands of them at once. It stops at the first request that is not
 * answered synchronously, and closes a connection on which another request arrives before that answer. A client that
 * waits for each answer is therefore only delayed; a client that pipelines is cut off. What clients ask who are let in is
 * bounded by `gateway/scheduler/frontWork.ts`.
 */
export class TickBudget {
  #isScheduled = false
  #refusedInTick = 0
  readonly #refusals = new SecondCount()

  /** Counts an answer that nobody pays for; whether it is to be held back. */
  holdsBack(): boolean {
    this.#begin()
    this.#refusedInTick += 1
    const inSecond = this.#refusals.add(performance.now())
    return this.#refusedInTick > MAX_REFUSED_IN_TICK || inSecond > MAX_REFUSED_IN_SECOND
  }

  /**
   * Writes an answer that nobody pays for, at once or held back.
   * @param write called with the response corked, unless the client is gone by then
   */
  send(response: HttpResponse, write: () => void): void {
    if (!this.holdsBack()) {
      response.cork(write)
      return
    }
    let gone = false
    response.onAborted(() => {
      gone = true
    })
    holdBack(
      () => {
        if (!gone) response.cork(write)
      },
      heldBackFor(this.#refusals.at(performance.now())),
    )
  }

  #begin(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#refusedInTick = 0
    })
  }
}

/**
 * Milliseconds for which a refusal is held back: each one longer than the one before, so that those who come back at
 * once do not come back together.
 * @param refused refusals in this second
 */
export function heldBackFor(refused: number): number {
  const share = Math.max(1, refused / MAX_REFUSED_IN_SECOND)
  return Math.min(MAX_HELD_BACK_MILLISECONDS, Math.round(HELD_BACK_MILLISECONDS * share))
}

/** Does something later that a client is to wait for. */
export function holdBack(action: () => void, milliseconds: number = HELD_BACK_MILLISECONDS): void {
  setTimeout(action, milliseconds)
}
