/** Address of a rate. */
export interface RateUrl {
  readonly url: string
  /** JSON Pointer (RFC 6901) to the rate in the response, e.g. `/USD/buy`. */
  readonly pointer: string
  /** Milliseconds. */
  readonly timeout: number
}

/** Largest response that is read, bytes; those of exchanges are small. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads a rate from a JSON document on the web; a fraction is truncated.
 * @throws Error when the server does not respond in time or the document has no number there
 */
export async function fetchRateFromUrl({ url, pointer, timeout }: RateUrl): Promise<bigint> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`)
  const value = valueAt(JSON.parse(await readText(response, url)), pointer)
  const digits = /^\s*(\d+)(\.\d*)?\s*$/.exec(typeof value === 'number' ? plainNumber(value) : String(value))
  if (digits?.[1] === undefined) throw new Error(`${url} has no number at ${pointer}`)
  return BigInt(digits[1])
}

async function readText(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Decimal notation of a number, without an exponent. */
function plainNumber(value: number): string {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)).toString() : ''
}

/** The value that a JSON Pointer names; undefined when there is none. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
