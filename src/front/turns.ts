import type { HttpResponse } from 'uWebSockets.js'

/** Requests of one client that are answered in one turn of the event loop; those beyond wait for the next. */
const MOST_ASKED = 256

/** Refusals that are sent in one turn. */
const MOST_REFUSED_IN_TURN = 16

/** Refusals in a second after which further ones are held back. */
const MOST_REFUSED_IN_SECOND = 200

/** How long refusals are held back, milliseconds. */
const HELD_BACK = 200

/** What is counted of a client. */
export interface TurnUse {
  turn: number
  askedInTurn: number
}

/**
 * Bounds what one turn of the event loop answers. The library hands over every request that a socket sent without
 * waiting for answers before it looks at the next socket, thousands of them at once. Whatever is not answered at once
 * ends that: the library closes a connection that has the next request for it before the answer to the last one, so
 * that whoever waits for each answer is only delayed, and whoever does not is cut off.
 */
export class Turns {
  #turn = 1
  #isScheduled = false
  #refusedInTurn = 0
  #secondBegan = 0
  #refusedInSecond = 0

  /** Counts a request of a client; whether it is to be answered in this turn. */
  admits(use: TurnUse): boolean {
    this.#begin()
    if (use.turn !== this.#turn) {
      use.turn = this.#turn
      use.askedInTurn = 0
    }
    use.askedInTurn += 1
    return use.askedInTurn <= MOST_ASKED
  }

  /** Counts an answer that nobody pays for; whether it is to be held back. */
  holdsBack(): boolean {
    this.#begin()
    this.#refusedInTurn += 1
    const now = performance.now()
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now
      this.#refusedInSecond = 0
    }
    this.#refusedInSecond += 1
    return this.#refusedInTurn > MOST_REFUSED_IN_TURN || this.#refusedInSecond > MOST_REFUSED_IN_SECOND
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
    holdBack(() => {
      if (!gone) response.cork(write)
    })
  }

  #begin(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#turn += 1
      this.#refusedInTurn = 0
    })
  }
}

/** Does something later that a client is to wait for. */
export function holdBack(action: () => void): void {
  setTimeout(action, HELD_BACK)
}
