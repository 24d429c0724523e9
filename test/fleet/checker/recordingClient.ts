import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Entry, HistoryWriter, Operation, Outcome, SeenHead } from './history.ts'

/** Where a member takes requests. */
export interface AskedMember {
  /** Place among the members of the run. */
  readonly member: number
  /** `http://host:port` */
  readonly origin: string
}

/** A request over JSON-RPC. */
export interface Asking {
  readonly operation: Operation
  readonly method: string
  readonly params?: readonly unknown[]
  /** Secret of the API key that it carries, its id and what the request costs. */
  readonly key?: ClientKey
  readonly units?: number
  /** What the history has of a result. */
  readonly value?: (result: unknown) => number | string | readonly string[] | null
  /** The head that a result names, where it does. */
  readonly head?: (result: unknown) => SeenHead | null
  readonly healed?: true
}

export interface ClientKey {
  readonly id: string
  readonly secret: string
}

/** How a request ended. */
export interface Asked {
  readonly entry: Entry
  /** Of an answer that is no error; undefined otherwise. */
  readonly result: unknown
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'])

/** A connection that was refused has a code of its own: the request was not done. */
export const NOT_CONNECTED_CODE = 0

/** What is answered at the head, so that the headers of the answer name the head of the fleet. */
const RELATIVE: ReadonlySet<Operation['kind']> = new Set(['head', 'count', 'logs'])

/** Asks members over HTTP and writes down what came of it. Times are those of `performance.now`. */
export class RecordingClient {
  readonly #id: number
  readonly #writer: HistoryWriter
  readonly #timeout: number
  readonly #agents = new Map<string, Agent>()

  /** @param timeout milliseconds after which it gives up */
  constructor(id: number, writer: HistoryWriter, timeout: number) {
    this.#id = id
    this.#writer = writer
    this.#timeout = timeout
  }

  /** Never throws for what a member does. */
  async ask({ member, origin }: AskedMember, asking: Asking): Promise<Asked> {
    const { operation, method, params = [], key, units, healed } = asking
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const begin = performance.now()
    const sent = await this.#send(origin, key === undefined ? '/' : `/${key.secret}`, body).catch(
      (error: NodeJS.ErrnoException) => error,
    )
    const end = performance.now()
    const { outcome, result, head } = judge(sent, asking)
    const entry: Entry = {
      ...{ type: 'entry', client: this.#id, member, operation, begin, end, outcome },
      ...(head === undefined ? {} : { head }),
      ...(key === undefined ? {} : { key: key.id, units: units ?? 1 }),
      ...(healed === undefined ? {} : { healed }),
    }
    this.#writer.write(entry)
    return { entry, result }
  }

  /** Asks for the usage of a key. */
  async usage({ member, origin }: AskedMember, key: ClientKey, healed?: true): Promise<Entry> {
    const begin = performance.now()
    const sent = await this.#send(origin, `/${key.secret}/usage`, null).catch((error: Error) => error)
    const end = performance.now()
    const entry: Entry = {
      ...{ type: 'entry', client: this.#id, member, begin, end, outcome: usageOf(sent) },
      operation: { kind: 'usage', key: key.id },
      ...(healed === undefined ? {} : { healed }),
    }
    this.#writer.write(entry)
    return entry
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  #send(origin: string, path: string, body: string | null): Promise<Answer> {
    const agent = this.#agents.get(origin) ?? new Agent({ keepAlive: true, maxSockets: 1 })
    this.#agents.set(origin, agent)
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(this.#timeout)
      const method = body === null ? 'GET' : 'POST'
      const headers = { 'content-type': 'application/json' }
      const sent = request(new URL(path, origin), { agent, method, headers, signal }, (response) => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part
          })
          .once('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
          )
          .once('error', reject)
      })
      sent.once('error', reject)
      sent.end(body ?? undefined)
    })
  }
}

function judge(
  sent: Answer | NodeJS.ErrnoException,
  { operation, value, head }: Asking,
): { readonly outcome: Outcome; readonly result: unknown; readonly head: SeenHead | undefined } {
  if (sent instanceof Error) return { outcome: failureOf(sent), result: undefined, head: undefined }
  const parsed = parse(sent.body) as { result?: unknown; error?: { code: number; message: string } } | null
  if (parsed?.error !== undefined) {
    const { code, message } = parsed.error
    return { outcome: { kind: 'refused', code, message }, result: undefined, head: undefined }
  }
  if (parsed?.result === undefined)
    return { outcome: { kind: 'unknown' }, result: undefined, head: undefined }
  const { result } = parsed
  const named = head?.(result) ?? (RELATIVE.has(operation.kind) ? headOf(sent.headers) : null)
  return { outcome: { kind: 'answered', value: value?.(result) ?? null }, result, head: named ?? undefined }
}

/** The block that an answer was given at. */
function headOf(headers: IncomingHttpHeaders): SeenHead | null {
  const [number, hash] = [headers['x-block-number'], headers['x-block-hash']]
  if (typeof number !== 'string' || typeof hash !== 'string') return null
  return { number: Number(number), hash }
}

function usageOf(sent: Answer | Error): Outcome {
  if (sent instanceof Error) return failureOf(sent)
  const report = parse(sent.body) as { days?: readonly { readonly requests: number }[] } | null
  if (sent.status !== 200 || report?.days === undefined)
    return { kind: 'refused', code: sent.status, message: sent.body.slice(0, 200) }
  return { kind: 'answered', value: report.days.reduce((sum, { requests }) => sum + requests, 0) }
}

function failureOf(error: NodeJS.ErrnoException): Outcome {
  return NOT_CONNECTED.has(error.code ?? '')
    ? { kind: 'refused', code: NOT_CONNECTED_CODE, message: error.code ?? '' }
    : { kind: 'unknown' }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
