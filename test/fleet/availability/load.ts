import { Agent, request } from 'node:http'
import { signedTransaction } from '../../support/signedTransaction.ts'
import type { HistoryEntry, ShownBlock } from '../faults/clientHistory.ts'

/** Where requests go. */
export interface Target {
  /** That of a member, or of the balancer. */
  readonly name: string
  readonly url: string
  readonly perSecond: number
}

export type RequestKind = 'read' | 'send' | 'poll'

/** An answered request. */
export interface AnsweredRequest {
  readonly target: string
  readonly kind: RequestKind
  /** Milliseconds of the monotonic clock. */
  readonly began: number
  readonly took: number
  /** null when it was answered with a result. */
  readonly failure: string | null
}

const TICK_MS = 10
const SENDS_PER_SECOND = 5
const POLLS_PER_SECOND = 6
/** A client waits longer than any balancer. */
const TIMEOUT = 120_000
const ATTEMPTS = 20
const RETRY_MS = 500
/** A balancer asked twice, or the answer to the first attempt was lost. */
const KNOWN = /already exists|already known/
const COW = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** What clients of a fleet do, so many requests a second at each target whatever becomes of them. */
export class Load {
  readonly answered: AnsweredRequest[] = []
  /** What clients were told since {@link renewFilters}. */
  readonly history: HistoryEntry[] = []
  /** Filters that a client polls now. */
  readonly #polling = new Set<string>()
  readonly #targets: readonly Target[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  readonly #owed = new Map<string, number>()
  readonly #filters: string[] = []
  /** When each open request began. */
  readonly #open = new Set<{ readonly began: number }>()
  #timer: NodeJS.Timeout | null = null
  #began = 0
  #turn = 0
  #nonce = 0
  #owedSends = 0
  #owedPolls = 0
  #height = 0
  #hash = `0x${'0'.repeat(64)}`

  constructor(targets: readonly Target[]) {
    this.#targets = targets
  }

  /** Installs a filter at each target and begins. */
  async start(): Promise<void> {
    for (const target of this.#targets) {
      const { result } = await this.#ask(target, 'eth_newBlockFilter', [])
      this.#filters.push(typeof result === 'string' ? result : '')
    }
    this.#began = performance.now()
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  get targets(): readonly string[] {
    return this.#targets.map(({ name }) => name)
  }

  /** Waits until all that began before a time has its answer. */
  async settled(before: number): Promise<void> {
    while ([...this.#open].some(({ began }) => began < before))
      await new Promise((resolve) => setTimeout(resolve, 50))
  }

  /** Ends, and waits for what is open. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    await this.settled(Number.POSITIVE_INFINITY)
    this.#agent.destroy()
  }

  /** Filters that a member is asked for are gone with it: others take their place. */
  async renewFilters(): Promise<void> {
    this.history.length = 0
    for (const [index, target] of this.#targets.entries()) {
      const { result } = await this.#ask(target, 'eth_newBlockFilter', []).catch((): Answer => ({}))
      if (typeof result === 'string') this.#filters[index] = result
    }
  }

  #tick(): void {
    const now = performance.now()
    const seconds = (now - this.#began) / 1000
    this.#began = now
    for (const target of this.#targets) {
      const owed = (this.#owed.get(target.name) ?? 0) + seconds * target.perSecond
      this.#owed.set(target.name, owed % 1)
      for (let count = Math.floor(owed); count > 0; count -= 1)
        void this.#count(target, 'read', ...this.#read())
    }
    this.#owedSends += seconds * SENDS_PER_SECOND
    for (; this.#owedSends >= 1; this.#owedSends -= 1) void this.#send()
    this.#owedPolls += seconds * POLLS_PER_SECOND
    for (; this.#owedPolls >= 1; this.#owedPolls -= 1) {
      this.#turn += 1
      void this.#poll(this.#filters[this.#turn % this.#filters.length] ?? '')
    }
  }

  /** One client of each filter: it polls when it has the answer to the last one. */
  async #poll(filter: string, target: Target = this.#anyTarget()): Promise<boolean> {
    if (this.#polling.has(filter)) return false
    this.#polling.add(filter)
    const answer = await this.#count(target, 'poll', 'eth_getFilterChanges', [filter])
    this.#polling.delete(filter)
    const hashes = Array.isArray(answer?.result) ? (answer.result as readonly string[]) : null
    this.history.push({ kind: 'polled', at: target.name, filter, hashes })
    return hashes !== null
  }

  /** Polls all filters once more. */
  async lastPolls(): Promise<void> {
    for (const filter of this.#filters) await this.#poll(filter)
  }

  #anyTarget(): Target {
    this.#turn += 1
    return this.#targets[this.#turn % this.#targets.length] as Target
  }

  /** A request of the mix: reads of the head, of state and of blocks, calls, searches of logs. */
  #read(): [string, readonly unknown[]] {
    const recent = `0x${Math.max(0, this.#height - 5).toString(16)}`
    const mix: readonly [string, readonly unknown[]][] = [
      ['eth_blockNumber', []],
      ['eth_blockNumber', []],
      ['eth_getBalance', [COW, 'latest']],
      ['eth_getTransactionCount', [COW, 'pending']],
      ['eth_call', [{ to: COW, data: '0x' }, 'latest']],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBlockByNumber', [`0x${this.#height.toString(16)}`, true]],
      ['eth_getLogs', [{ fromBlock: recent, toBlock: 'latest' }]],
      ['eth_getTransactionReceipt', [this.#hash]],
      ['eth_gasPrice', []],
      ['eth_chainId', []],
    ]
    return mix[Math.floor(Math.random() * mix.length)] ?? ['eth_chainId', []]
  }

  /** A transaction is sent until it is taken: a gap of nonces would have all that come later wait. */
  async #send(): Promise<void> {
    const { encoded } = signedTransaction({ nonce: BigInt(this.#nonce) })
    this.#nonce += 1
    const params = [`0x${encoded.toString('hex')}`]
    for (let attempt = 0; attempt < ATTEMPTS && this.#timer !== null; attempt += 1) {
      const answer = await this.#count(this.#anyTarget(), 'send', 'eth_sendRawTransaction', params)
      if (typeof answer?.result === 'string') {
        this.#hash = answer.result
        this.history.push({ kind: 'acknowledged', at: 'a member', hash: answer.result })
      }
      if (answer?.result !== undefined || KNOWN.test(answer?.error?.message ?? '')) return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #count(
    target: Target,
    kind: RequestKind,
    method: string,
    params: readonly unknown[],
  ): Promise<Answer | null> {
    const began = performance.now()
    const open = { began }
    this.#open.add(open)
    let answer: Answer | null = null
    let failure: string | null = null
    try {
      answer = await this.#ask(target, method, params)
      const { error } = answer
      if (error !== undefined && !(kind === 'send' && KNOWN.test(error.message)))
        failure = `${method}: ${error.code} ${error.message}`
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && failure === null)
        this.history.push({
          kind: 'head',
          member: target.name,
          began,
          ended: performance.now(),
          block: shownBlock(answer.result),
        })
      if (method === 'eth_blockNumber' && failure === null)
        this.#height = Math.max(this.#height, Number(answer.result))
    } catch (error) {
      failure = `${method}: ${(error as Error).message}`
    }
    this.#open.delete(open)
    this.answered.push({ target: target.name, kind, began, took: performance.now() - began, failure })
    return answer
  }

  #ask({ url }: Target, method: string, params: readonly unknown[]): Promise<Answer> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    return new Promise((resolve, reject) => {
      const open = request(
        url,
        { method: 'POST', agent: this.#agent, headers, timeout: TIMEOUT },
        (response) => {
          const pieces: Buffer[] = []
          response.on('data', (piece: Buffer) => pieces.push(piece))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(pieces).toString()
            try {
              resolve(JSON.parse(text) as Answer)
            } catch {
              reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 80)}`))
            }
          })
        },
      )
      open.on('error', reject)
      open.on('timeout', () => open.destroy(new Error('no answer')))
      open.end(body)
    })
  }
}

/** A block of an answer. */
export function shownBlock(result: unknown): ShownBlock {
  const { number, hash, parentHash, totalDifficulty } = result as Record<keyof ShownBlock, string>
  return { number: Number(number), hash, parentHash, totalDifficulty: BigInt(totalDifficulty) }
}
