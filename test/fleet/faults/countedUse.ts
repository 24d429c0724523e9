import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../availability/faults.ts'
import type { MemberProcess } from '../cluster/memberProcess.ts'
import type { TestFleet } from '../cluster/testFleet.ts'
import { until } from '../cluster/until.ts'
import type { RoundHook } from './roundHooks.ts'

const PAUSE_MS = 100
const ANSWER_MS = 10_000
/** A node alone writes what it counted each second; with the time of the write that is what a kill -9 takes. */
const KILL_TAKES_MS = 1500
const AGREE_LOOKS = 200
/** What is still under way would have come by then. */
const LATE_MS = 2500

interface Report {
  readonly days: readonly { readonly requests: number }[]
}

/** The clients of one key at one member: they ask one after the other. */
class CountedClient {
  /** When each answer came since {@link reset}, milliseconds of the monotonic clock. */
  readonly answered: number[] = []
  /** Requests without an answer since then: they are counted or not. */
  unanswered = 0
  readonly #member: Pick<MemberProcess, 'origin'>
  readonly #secret: string
  #running: Promise<void> | null = null
  #isOver = false

  constructor(member: Pick<MemberProcess, 'origin'>, secret: string) {
    this.#member = member
    this.#secret = secret
  }

  start(): void {
    this.#isOver = false
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
    this.#running = null
  }

  /** Requests at the member that the key has in all its days. */
  async counted(): Promise<number> {
    const response = await fetch(`${this.#member.origin}/${this.#secret}/usage`)
    const { days } = (await response.json()) as Report
    return days.reduce((sum, { requests }) => sum + requests, 0)
  }

  /** Days for which the member has use of the key. */
  async days(): Promise<number> {
    const response = await fetch(`${this.#member.origin}/${this.#secret}/usage`)
    return ((await response.json()) as Report).days.length
  }

  reset(): void {
    this.answered.length = 0
    this.unanswered = 0
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        const response = await fetch(`${this.#member.origin}/${this.#secret}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
          signal: AbortSignal.timeout(ANSWER_MS),
        })
        await response.arrayBuffer()
        if (response.status === 200) this.answered.push(performance.now())
        else this.unanswered += 1
      } catch {
        this.unanswered += 1
      }
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * Use is counted for all members (fleet.md §7): after each round sums are equal at all of them, and equal to what clients
 * were answered, but for what a kill -9 takes from a node alone, too.
 */
export class CountedUse implements RoundHook {
  readonly name = 'use'
  readonly #clients: CountedClient[] = []
  #secret = ''
  #copy: CountedClient | null = null
  /** What members counted before this round. */
  #before = 0
  #faultBegan = 0
  /** Days that have had use. */
  #days = 0

  async begin(fleet: TestFleet): Promise<void> {
    this.#secret = await fleet.makeKey('counted')
    for (const member of fleet.members) {
      const client = new CountedClient(member, this.#secret)
      await until('the key is known', async () => (await client.counted().catch(() => null)) !== null)
      client.start()
      this.#clients.push(client)
    }
  }

  /** The node over a copied directory is asked, too. */
  join(copy: Pick<MemberProcess, 'origin'>): void {
    this.#copy = new CountedClient(copy, this.#secret)
    this.#copy.start()
  }

  /** The node over a copied directory is to be ended: it is asked no more. */
  async leave(): Promise<void> {
    await this.#copy?.stop()
  }

  beforeFault(): void {
    this.#faultBegan = performance.now()
  }

  async afterRound(fault: Fault): Promise<readonly string[]> {
    const copy = this.#copy
    const asked = copy === null ? this.#clients : [...this.#clients, copy]
    await Promise.all(asked.map((client) => client.stop()))
    const answered = asked.reduce((sum, client) => sum + client.answered.length, 0)
    const more = asked.reduce((sum, client) => sum + client.unanswered, 0)
    const less = this.#takenByKill(fault)
    const [lowest, highest] = [this.#before + answered - less, this.#before + answered + more]
    let seen: readonly number[] = []
    const agree = async () => {
      seen = await Promise.all(this.#clients.map((client) => client.counted()))
      const [first = 0] = seen
      return seen.every((sum) => sum === first) && first >= lowest && first <= highest
    }
    let isRight = await becomes(agree)
    // Where the sum is not known to the last request it may be equal before all of it has come.
    if (isRight && less + more > 0) {
      await sleep(LATE_MS)
      isRight = await becomes(agree)
    }
    this.#before = Math.max(...seen)
    this.#days = Math.max(this.#days, (await this.#clients[0]?.days()) ?? 0)
    this.#copy = null
    for (const client of asked) client.reset()
    for (const client of this.#clients) client.start()
    if (isRight) return []
    return [
      `members counted ${seen.join(', ')}; clients were answered ${lowest + less}, of which a kill may take ${less}, and ${more} had no answer`,
    ]
  }

  /** Requests that were counted, and the days that had any. */
  get total(): string {
    return `${this.#before} requests of a key were counted on ${this.#days} days`
  }

  async end(): Promise<void> {
    await Promise.all(
      [...this.#clients, ...(this.#copy === null ? [] : [this.#copy])].map((one) => one.stop()),
    )
  }

  /** What those members were answered last that a fault killed. */
  #takenByKill({ name }: Fault): number {
    const from = this.#faultBegan - KILL_TAKES_MS
    return this.#clients.reduce((sum, { answered }, at) => {
      if (!name.includes(`member ${at} killed`)) return sum
      return sum + answered.filter((when) => when >= from && when <= this.#faultBegan + KILL_TAKES_MS).length
    }, 0)
  }
}

function becomes(is: () => Promise<boolean>): Promise<boolean> {
  return until('sums are equal', is, AGREE_LOOKS).then(
    () => true,
    () => false,
  )
}
