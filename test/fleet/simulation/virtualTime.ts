import { AsyncLocalStorage } from 'node:async_hooks'

/** Whose timers and messages stand still while it is stopped, and are dropped once it is killed. */
export class SimProcess {
  isAlive = true
  isStopped = false
  readonly deferred: (() => void)[] = []
}

interface Event {
  readonly at: number
  readonly act: () => void
  readonly owner: SimProcess | null
  isOff: boolean
}

const WALL = 1_700_000_000_000
const turn = (() => {
  const { setImmediate } = globalThis
  return () => new Promise<void>((resolve) => void setImmediate(resolve))
})()

/**
 * Time of a simulation: while it runs, timers and clocks of everything in this thread are its own, and whatever a process
 * starts belongs to that process.
 */
export class VirtualTime {
  now = 0
  /** UseReport what an event of a process threw. */
  onError: (error: unknown) => void = () => undefined
  readonly #events: Event[] = []
  readonly #owner = new AsyncLocalStorage<SimProcess | null>()

  /** Does something later, on behalf of a process; of the present one unless given. */
  after(
    milliseconds: number,
    act: () => void,
    owner: SimProcess | null = this.#owner.getStore() ?? null,
  ): Event {
    const event = { at: this.now + Math.max(0, milliseconds), act, owner, isOff: false }
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle] as Event).at <= event.at) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
    return event
  }

  /** Runs something as a process does. */
  as<T>(owner: SimProcess, act: () => T): T {
    return this.#owner.run(owner, act)
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, resolve))
  }

  /** What waited for a process that goes on. */
  resume(owner: SimProcess): void {
    owner.isStopped = false
    for (const act of owner.deferred.splice(0)) this.after(0, act, owner)
  }

  /** Runs with this time in place of the clock. */
  async run(milliseconds: number, start: () => void): Promise<void> {
    const restore = this.#install()
    try {
      start()
      await turn()
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        if (next.at > milliseconds) break
        this.now = next.at
        if (next.isOff || !this.#isDue(next)) continue
        try {
          this.#owner.run(next.owner, next.act)
        } catch (error) {
          this.onError(error)
        }
        await turn()
      }
    } finally {
      restore()
    }
  }

  #isDue(event: Event): boolean {
    const { owner } = event
    if (owner?.isAlive === false) return false
    if (owner?.isStopped !== true) return true
    owner.deferred.push(() => {
      if (!event.isOff) event.act()
    })
    return false
  }

  #install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
    const [dateNow, performanceNow] = [Date.now, performance.now]
    const handle = (event: Event) => {
      const timer = { event, unref: () => timer, ref: () => timer }
      return timer
    }
    const clear = (timer?: { readonly event: Event } | null) => {
      if (timer?.event !== undefined) timer.event.isOff = true
    }
    const later = (act: (...args: unknown[]) => void, milliseconds = 1, ...args: unknown[]) =>
      handle(this.after(Math.max(1, milliseconds), () => act(...args)))
    const every = (act: () => void, milliseconds: number) => {
      const timer = handle(this.after(milliseconds, tick))
      function tick(this: unknown): void {
        act()
        again()
      }
      const again = () => {
        if (!timer.event.isOff) timer.event = this.after(milliseconds, tick)
      }
      return timer
    }
    Object.assign(globalThis, {
      setTimeout: later,
      clearTimeout: clear,
      setInterval: every,
      clearInterval: clear,
    })
    Date.now = () => WALL + Math.floor(this.now)
    performance.now = () => this.now
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
      Date.now = dateNow
      performance.now = performanceNow
    }
  }
}
