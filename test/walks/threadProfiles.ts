import { Session } from 'node:inspector'

/** A function that was entered: the file and the name that V8 has for it. */
export interface EnteredFunction {
  readonly file: string
  readonly name: string
  /** Tells functions of one name apart. */
  readonly start: number
}

/** A thread of this process. */
interface Thread {
  readonly name: string
  readonly post: Post
}

type Post = <T>(method: string, parameters?: object) => Promise<T>

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

/** An answer of a worker's inspector, as the main thread gets it. */
interface WorkerMessage {
  readonly sessionId: string
  readonly message: string
}

interface AttachedWorker {
  readonly sessionId: string
  readonly workerInfo: { readonly title: string; readonly url: string }
}

interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Counts which functions every thread of this process enters: V8's precise coverage, read over the inspector. */
export class ThreadProfiles {
  readonly #session = new Session()
  readonly #threads: Thread[] = []
  readonly #waiting = new Map<string, Waiting>()
  /** Folder that the files of functions are below, as a URL. */
  readonly #root: string
  #messages = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Begins to count in this thread, and in workers as they start. To be called before any starts. */
  async open(): Promise<void> {
    this.#session.connect()
    const main: Post = (method, parameters = {}) =>
      new Promise((resolve, reject) => {
        this.#session.post(method, parameters, (error, result) => {
          if (error === null) resolve(result as never)
          else reject(error)
        })
      })
    await this.#begin({ name: 'main', post: main })
    // Types of Node.js leave out the domain of workers.
    const on = this.#session.on.bind(this.#session) as unknown as (
      event: string,
      listener: (notice: { readonly params: never }) => void,
    ) => void
    on('NodeWorker.attachedToWorker', ({ params }) => void this.#attach(params))
    on('NodeWorker.receivedMessageFromWorker', ({ params }) => this.#receive(params))
    await main('NodeWorker.enable', { waitForDebuggerOnStart: false })
  }

  /** The functions that were entered since the last call, by the name of their thread. */
  async take(): Promise<ReadonlyMap<string, readonly EnteredFunction[]>> {
    const taken = new Map<string, EnteredFunction[]>()
    for (const { name, post } of this.#threads) {
      const coverage = await post<Coverage>('Profiler.takePreciseCoverage')
      taken.set(name, [...(taken.get(name) ?? []), ...this.#enteredOf(coverage)])
    }
    return taken
  }

  close(): void {
    this.#session.disconnect()
  }

  async #begin(thread: Thread): Promise<void> {
    await thread.post('Profiler.enable')
    await thread.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    this.#threads.push(thread)
  }

  async #attach({ sessionId, workerInfo }: AttachedWorker): Promise<void> {
    const post: Post = (method, parameters = {}) =>
      new Promise((resolve, reject) => {
        this.#messages += 1
        const id = this.#messages
        this.#waiting.set(`${sessionId} ${id}`, { resolve: resolve as (value: unknown) => void, reject })
        const message = JSON.stringify({ id, method, params: parameters })
        this.#session.post('NodeWorker.sendMessageToWorker' as never, { sessionId, message } as never)
      })
    await this.#begin({ name: nameOf(workerInfo.url), post })
  }

  #receive({ sessionId, message }: WorkerMessage): void {
    const { id, result, error } = JSON.parse(message) as Reply
    const key = `${sessionId} ${id}`
    const waiting = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }

  #enteredOf({ result }: Coverage): EnteredFunction[] {
    return result.flatMap(({ url, functions }) => {
      if (!url.startsWith(this.#root)) return []
      const file = url.slice(this.#root.length).replace(/\?.*$/, '')
      return functions.flatMap(({ functionName, ranges }) => {
        const [range] = ranges
        const isModule = functionName === '' && range?.startOffset === 0
        if (range === undefined || range.count === 0 || isModule) return []
        return [{ file, name: functionName, start: range.startOffset }]
      })
    })
  }
}

/** A thread is called as the file that it runs. */
function nameOf(url: string): string {
  return /([^/]*?)(?:\.[cm]?[jt]s)?(?:\?.*)?$/.exec(url)?.[1] ?? url
}
