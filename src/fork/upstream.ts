import { UpstreamError } from './errors.ts'
import { SharedStats } from './sharedStats.ts'
import { UpstreamAddresses } from './upstreamAddresses.ts'
import { upstreamName, withoutUrls } from './upstreamName.ts'

/** Requests under way at once. */
const MAX_PARALLEL = 16
/** Milliseconds that one request may take. */
const TIMEOUT = 20_000
/** Tries of one request over all addresses. */
const MAX_TRIES = 6
/** Pause before the second try, milliseconds; each later one is twice as long. */
const FIRST_PAUSE = 200
const MAX_PAUSE_MILLISECONDS = 5000
/** Bytes of an answer. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** An error that the upstream answered with. */
export class UpstreamRefusal extends UpstreamError {
  /** Its code of JSON-RPC. */
  readonly rpcCode: number
  /** Its data, as they came. */
  readonly data: unknown

  constructor(message: string, rpcCode: number, data: unknown) {
    super('REFUSED', message)
    this.rpcCode = rpcCode
    this.data = data
  }
}

/** The outcome of one try. */
type Tried =
  | { readonly result: unknown }
  /** Another try may do better. */
  | { readonly failure: UpstreamError; readonly pause: number | null }

function send(url: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT) })
}

/**
 * Asks the nodes of a network: the first address that answers, each request by itself, because hosted endpoints refuse
 * batches. No message has an address.
 */
export class Upstream {
  readonly #stats: SharedStats
  readonly #addresses: UpstreamAddresses
  /** The addresses that {@link #first} counts. */
  #urls: readonly string[]
  readonly #waiting: (() => void)[] = []
  /** Called when another address than before answers. */
  onSwitch: () => void = () => undefined
  #first = 0
  #switches = 0
  #running = 0
  #left = Number.POSITIVE_INFINITY
  #allowed = Number.POSITIVE_INFINITY
  #id = 0

  constructor(addresses: readonly string[] | UpstreamAddresses, stats: SharedStats = new SharedStats()) {
    this.#addresses = addresses instanceof UpstreamAddresses ? addresses : new UpstreamAddresses(addresses)
    this.#urls = this.#addresses.urls
    this.#stats = stats
  }

  /** Hosts of the addresses, for people. */
  get name(): string {
    return this.#addresses.urls.map(upstreamName).join(', ')
  }

  /** Times that another address than before was asked. */
  get switches(): number {
    return this.#switches
  }

  /** Bounds the requests from now on, repeated ones included: those beyond are refused here. */
  allow(requests: number): void {
    this.#left = requests
    this.#allowed = requests
  }

  /**
   * The result of a request.
   * @throws UpstreamError; UpstreamRefusal for an error that the upstream answers with
   */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    if (this.#running >= MAX_PARALLEL) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running += 1
    try {
      return await this.#requestNow(method, params)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  async #requestNow(method: string, params: readonly unknown[]): Promise<unknown> {
    let pause = FIRST_PAUSE
    for (let tries = 1; ; tries += 1) {
      this.#lookForOthers()
      if (this.#left <= 0) {
        throw new UpstreamError(
          'LIMITED',
          `this needs more than ${this.#allowed} requests to the network that this chain is a fork of`,
        )
      }
      this.#left -= 1
      const at = this.#first
      const tried = await this.#try(this.#urls[at % this.#urls.length] ?? '', method, params)
      if ('result' in tried) return tried.result
      if (tries === MAX_TRIES) throw tried.failure
      this.#stats.add('retries', 1)
      // Whoever fails first moves all to the next address.
      if (this.#first === at && this.#urls.length > 1) {
        this.#first = (at + 1) % this.#urls.length
        this.#switched()
      }
      await new Promise((resolve) => setTimeout(resolve, tried.pause ?? pause))
      pause = Math.min(MAX_PAUSE_MILLISECONDS, pause * 2)
    }
  }

  /** Other addresses than before count from the first one. */
  #lookForOthers(): void {
    const { urls } = this.#addresses
    if (urls === this.#urls) return
    this.#urls = urls
    this.#first = 0
    this.#switched()
  }

  #switched(): void {
    this.#switches += 1
    this.onSwitch()
  }

  async #try(url: string, method: string, params: readonly unknown[]): Promise<Tried> {
    this.#stats.add('requests', 1)
    this.#id += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params })
    const name = upstreamName(url)
    let response: Response
    let text: string
    try {
      response = await send(url, body)
      text = await readText(response)
    } catch (error) {
      const reason =
        error instanceof UpstreamError ? error.message : `${name} does not answer: ${reasonOf(error)}`
      return { failure: new UpstreamError('DOWN', reason), pause: null }
    }
    this.#stats.add('bytes', text.length)
    if (response.status === 429) return { failure: limited(name), pause: pauseOf(response) }
    const answer = parseAnswer(text)
    if (answer === null || !('result' in answer || 'error' in answer)) {
      const failure = new UpstreamError(
        'DOWN',
        `${name} answers with HTTP ${response.status} and no JSON-RPC`,
      )
      return { failure, pause: null }
    }
    const { error } = answer
    if (error === undefined || error === null) return { result: answer.result ?? null }
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
    const words = withoutUrls(String(message))
    if (code === RATE_LIMITED || /rate limit|too many requests/i.test(words))
      return { failure: limited(name), pause: null }
    throw new UpstreamRefusal(words, typeof code === 'number' ? code : 0, data)
  }
}

/** The code of geth, Infura and this program for requests above a limit. */
const RATE_LIMITED = -32005

function limited(name: string): UpstreamError {
  return new UpstreamError(
    'LIMITED',
    `${name} refuses more requests for now (HTTP 429): wait, or name another address with --fork-url`,
  )
}

/** Milliseconds that an answer asks to wait, within bounds; null where it does not say. */
function pauseOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(MAX_PAUSE_MILLISECONDS, seconds * 1000) : null
}

async function readText(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? 0)
  if (length > MAX_ANSWER_BYTES) throw new UpstreamError('MALFORMED', `an answer has ${length} bytes`)
  const parts: Uint8Array[] = []
  let total = 0
  for await (const part of response.body ?? []) {
    total += part.length
    if (total > MAX_ANSWER_BYTES)
      throw new UpstreamError('MALFORMED', `an answer has more than ${MAX_ANSWER_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parseAnswer(text: string): { readonly result?: unknown; readonly error?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

/** Failures of `fetch` say what happened in their cause. */
function reasonOf(error: unknown): string {
  const { name, cause, message } = error as { name?: string; cause?: { code?: string }; message?: string }
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT / 1000} s`
  return cause?.code ?? withoutUrls(String(message ?? error))
}
