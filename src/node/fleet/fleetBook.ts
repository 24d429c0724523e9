import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import {
  BUCKET_DAYS,
  type FromFront,
  MIN_PACE_MILLISECONDS,
  type ToFront,
} from '../../fleet/access/messages.ts'
import type { MemberId } from '../../fleet/member.ts'
import type { AccessBook } from '../../gateway/access/accessBook.ts'
import type { OthersUse, OwnUse } from '../../gateway/access/othersUse.ts'
import type { AccessStore } from '../../storage/access/accessStore.ts'
import type { DayUsage } from '../../storage/access/usageRecord.ts'

const DAY = 86_400_000

export interface FleetBookOptions {
  readonly store: AccessStore
  readonly self: MemberId
  /** To the part of the fleet thread; lost while there is none. */
  send(message: FromFront): void
  onFailure(error: unknown): void
}

/** Keys and usage of a member, as its front thread counts them (fleet.md §7): the counterpart of `CounterSync`. */
export class FleetBook implements AccessBook, OthersUse {
  readonly revision: AccessBook['revision'] = () => this.#store.revision()
  readonly keys: AccessBook['keys'] = () => this.#store.keys()
  readonly ownCost: AccessBook['ownCost'] = (...slot) => this.#store.ownCost(...slot)
  readonly usage: AccessBook['usage'] = (...days) => this.#store.usage(...days)
  readonly #options: FleetBookOptions
  readonly #store: AccessStore
  readonly #by = randomBytes(8).toString('hex')
  /** The use by others, by day and key. */
  readonly #received = new Map<string, number>()
  #counter: OwnUse | null = null
  #isDecided = false
  #isChanging = false
  /** True when the fleet thread is another one, which knows nothing yet. */
  #isForgotten = false
  #pace = MIN_PACE_MILLISECONDS
  /** Null while nothing is used. */
  #timer: NodeJS.Timeout | null = null

  /** @throws AccessError */
  constructor(options: FleetBookOptions) {
    this.#options = options
    this.#store = options.store
    this.#store.lives.join(options.self, Math.floor(Date.now() / DAY) - BUCKET_DAYS)
  }

  attach(counter: OwnUse): void {
    this.#counter = counter
    this.#reportSoon()
  }

  async addUsage(added: readonly DayUsage[]): Promise<void> {
    await this.#store.addUsage(added)
    this.#options.send({ kind: 'written', slots: added.map(({ id, day }) => ({ id, day })) })
  }

  pruneUsage(firstKept: number): Promise<number> {
    for (const slot of this.#received.keys())
      if (Number.parseInt(slot, 10) < firstKept) this.#received.delete(slot)
    return this.#store.pruneUsage(firstKept)
  }

  costOn(id: string, day: number): number {
    return this.#received.get(`${day} ${id}`) ?? 0
  }

  /** Takes a message of the fleet thread. */
  receive(message: ToFront): void {
    switch (message.kind) {
      case 'begun':
        this.#reportLives()
        this.#isForgotten = true
        this.#reportSoon()
        return
      case 'keys':
        this.#attempt(() => this.#counter?.refresh())
        return
      case 'received':
        for (const [id, day, cost] of message.rows) {
          this.#received.set(`${day} ${id}`, Math.max(cost, this.costOn(id, day)))
          this.#counter?.usedByOthers(id, day, cost, message.isLate)
        }
        return
      case 'resume':
        void this.#change(() => this.#store.lives.resume(message.rows, message.reported))
        return
      case 'keep':
        void this.#change(async () => undefined)
        return
      case 'leave':
        void this.#change(() => this.#store.lives.leave(message.known))
        return
      case 'pace':
        this.#pace = message.milliseconds
    }
  }

  /** Counts under another life from now on, or for good under the present one. */
  async #change(change: () => Promise<void>): Promise<void> {
    if (this.#isChanging) return
    this.#isChanging = true
    try {
      await change()
      this.#isDecided = true
      // What was written together with it is no more among what is not written yet.
      await setImmediate()
      this.#counter?.recount()
    } catch (error) {
      this.#options.onFailure(error)
    }
    this.#isChanging = false
    this.#reportLives()
  }

  #reportLives(): void {
    const { lives } = this.#store.lives
    this.#options.send({ kind: 'lives', lives, by: this.#by, isDecided: this.#isDecided })
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#attempt(() => this.#reportUse())
    }, this.#pace).unref()
  }

  /** Reports what was used, and again after the pace; once nothing was, with the next use. */
  #reportUse(): void {
    if (this.#counter === null) return
    const rows = this.#counter.changed(this.#isForgotten)
    this.#isForgotten = false
    if (rows.length === 0) {
      this.#counter.onNextUse(() => this.#reportSoon())
      return
    }
    this.#options.send({ kind: 'used', rows })
    this.#reportSoon()
  }

  #attempt(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#options.onFailure(error)
    }
  }
}
