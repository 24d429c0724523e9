import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, SnapshotError } from './errors.ts'
import { type ChunkEntry, chunkFile, MANIFEST_FILE, MAX_MANIFEST_BYTES } from './manifest.ts'
import { MAX_SIGNATURE_BYTES, SIGNATURES_FILE } from './signatureFile.ts'
import type { SnapshotSource } from './source.ts'

/** Timeouts and retries of a download. */
export interface HttpPatience {
  /** Time without a byte after which a connection counts as lost, milliseconds. */
  readonly silence: number
  /** Connections that may fail consecutively without a byte. */
  readonly attempts: number
  /** Pause before the second one, milliseconds; doubled before each further one. */
  readonly pause: number
}

const PATIENCE: HttpPatience = { silence: 30_000, attempts: 6, pause: 500 }
const MAX_PAUSE_MILLISECONDS = 20_000

/** HTTP statuses after which a retry may help. */
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** A failure that may be temporary. */
class PassingFailure extends Error {}

/** A snapshot over HTTP: a lost connection is resumed by ranges. */
export class HttpSource implements SnapshotSource {
  readonly name: string
  readonly #base: URL
  readonly #authorization: string | null
  readonly #patience: HttpPatience
  readonly #signal: AbortSignal | undefined

  /** @param url of the folder */
  constructor(url: string, signal?: AbortSignal, patience: HttpPatience = PATIENCE) {
    const base = new URL(url)
    this.#authorization = authorizationOf(base)
    base.username = ''
    base.password = ''
    if (!base.pathname.endsWith('/')) base.pathname += '/'
    this.#base = base
    this.name = hidden(base)
    this.#signal = signal
    this.#patience = patience
  }

  async manifest(): Promise<Buffer> {
    const bytes = await this.#fetch(MANIFEST_FILE, MAX_MANIFEST_BYTES)
    if (bytes !== null) return bytes
    throw new SnapshotError('SNAPSHOT_SOURCE', `${this.name} holds no snapshot: there is no ${MANIFEST_FILE}`)
  }

  signatures(): Promise<Buffer | null> {
    return this.#fetch(SIGNATURES_FILE, MAX_SIGNATURE_BYTES)
  }

  async chunk(entry: ChunkEntry): Promise<Buffer> {
    const bytes = await this.#fetch(chunkFile(entry), entry.packedSize)
    if (bytes !== null) return bytes
    throw new SnapshotError('SNAPSHOT_CHUNK', `chunk ${entry.hash} is missing`)
  }

  /** Reads at most one byte more than the limit of a file; null when there is none. */
  async #fetch(file: string, most: number): Promise<Buffer | null> {
    const download = new Download(new URL(file, this.#base), most, {
      authorization: this.#authorization,
      silence: this.#patience.silence,
      signal: this.#signal,
    })
    let failures = 0
    for (;;) {
      const before = download.length
      try {
        return await download.attempt()
      } catch (error) {
        if (this.#signal?.aborted === true) {
          throw new SnapshotError('SNAPSHOT_INTERRUPTED', 'stopped: the same command goes on where it was')
        }
        failures = download.length > before ? 1 : failures + 1
        if (!(error instanceof PassingFailure) || failures >= this.#patience.attempts) {
          throw new SnapshotError('SNAPSHOT_SOURCE', `${this.name}${file}: ${messageOf(error)}`, {
            cause: error,
          })
        }
        await sleep(Math.min(MAX_PAUSE_MILLISECONDS, this.#patience.pause * 2 ** (failures - 1)))
      }
    }
  }
}

interface DownloadTerms {
  readonly authorization: string | null
  /** Milliseconds. */
  readonly silence: number
  readonly signal: AbortSignal | undefined
}

/** The download of one file, over as many connections as it takes. */
class Download {
  length = 0
  readonly #url: URL
  readonly #most: number
  readonly #terms: DownloadTerms
  #parts: Buffer[] = []

  constructor(url: URL, most: number, terms: DownloadTerms) {
    this.#url = url
    this.#most = most
    this.#terms = terms
  }

  /** Requests the missing rest. @returns the whole file, or null when there is none */
  async attempt(): Promise<Buffer | null> {
    const timer = new AbortController()
    const restart = this.#timer(timer)
    let timeout = restart(undefined)
    try {
      const { authorization, signal } = this.#terms
      const signals = signal === undefined ? [timer.signal] : [timer.signal, signal]
      const response = await fetch(this.#url, {
        headers: {
          'accept-encoding': 'identity',
          ...(authorization !== null && { authorization }),
          ...(this.length > 0 && { range: `bytes=${this.length}-` }),
        },
        signal: AbortSignal.any(signals),
      })
      if (!this.#accept(response)) return null
      if (response.body !== null) {
        for await (const part of response.body as AsyncIterable<Uint8Array>) {
          timeout = restart(timeout)
          this.#parts.push(Buffer.from(part))
          this.length += part.length
          // The caller sees that it is too long.
          if (this.length > this.#most) return Buffer.concat(this.#parts)
        }
      }
      return Buffer.concat(this.#parts)
    } catch (error) {
      if (error instanceof PassingFailure || error instanceof SnapshotError) throw error
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new PassingFailure(timer.signal.aborted ? 'the server is silent' : messageOf(cause), {
        cause: error,
      })
    } finally {
      clearTimeout(timeout)
    }
  }

  #timer(controller: AbortController): (running: NodeJS.Timeout | undefined) => NodeJS.Timeout {
    return (running) => {
      clearTimeout(running)
      return setTimeout(() => controller.abort(), this.#terms.silence)
    }
  }

  /** True when the file exists; a response that does not continue the file restarts it. */
  #accept(response: Response): boolean {
    const { status } = response
    if (status === 404 || status === 410) return false
    if (PASSING_STATUS.has(status)) throw new PassingFailure(`the server answers with status ${status}`)
    if (status === 206) {
      const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
      if (Number(start) === this.length) return true
      this.#forget()
      throw new PassingFailure('the server answers with another range than it was asked for')
    }
    // 416: the file is not longer than the received part, which is incomplete.
    this.#forget()
    if (status === 416) throw new PassingFailure('the server has less than it sent before')
    if (status !== 200) {
      throw new SnapshotError('SNAPSHOT_SOURCE', `the server answers with status ${status}`)
    }
    return true
  }

  #forget(): void {
    this.#parts = []
    this.length = 0
  }
}

/** The user and password of a URL as a header; null without. */
function authorizationOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** The URL without user and password, for messages. */
function hidden(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  shown.search = ''
  return shown.href
}
