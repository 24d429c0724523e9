import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LOADER, ROOT } from '../support/sources.ts'
import type { FileResult } from './fileResult.ts'
import { failureOf, TIMEOUT, testEnvironment } from './ownProcess.ts'

const ENTRY = fileURLToPath(new URL('sharedProcess.ts', import.meta.url))
/** Files after which a process is replaced, so that what they leave in it does not grow without end. */
const MAX_FILES = 40
/** What a process may take to end when it has run its files, milliseconds: nothing of them is to keep it. */
const LAST_STEPS = 10_000

/** A process that runs test files one after the other. */
class SharedProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<string | null>
  readonly ran: string[] = []

  constructor(environment: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, ['--enable-source-maps', '--import', LOADER, ENTRY], {
      cwd: ROOT,
      env: testEnvironment(environment),
      // What tests print is no output for tap.
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message))
      this.#child.once('exit', (code, signal) => resolve(failureOf(code, signal)))
    })
  }

  get isFull(): boolean {
    return this.ran.length >= MAX_FILES
  }

  /** Runs a file. @returns its result; a string says why the process ended instead */
  async run(path: string): Promise<FileResult | string> {
    const result = new Promise<FileResult>((resolve) => {
      // Tap has messages of its own.
      const onMessage = (message: object) => {
        if (!('path' in message)) return
        this.#child.off('message', onMessage)
        resolve(message as FileResult)
      }
      this.#child.on('message', onMessage)
    })
    const outOfTime = new AbortController()
    const late = sleep(TIMEOUT, `no end within ${TIMEOUT / 1000} s`, { signal: outOfTime.signal })
    this.#child.send(path, () => {})
    try {
      const ended = this.#ended.then((failure) => failure ?? 'exit code 0 before the end')
      const first = await Promise.race([result, ended, late])
      if (typeof first === 'string') this.#child.kill('SIGKILL')
      else this.ran.push(path)
      return first
    } finally {
      outOfTime.abort()
    }
  }

  /** Lets the process end. @returns why it did not by itself, or null */
  async end(): Promise<string | null> {
    this.#child.disconnect()
    const stop = new AbortController()
    const late = sleep(LAST_STEPS, true, { signal: stop.signal })
    const isLate = await Promise.race([late, this.#ended.then(() => false)])
    stop.abort()
    if (!isLate) return this.#ended
    this.#child.kill('SIGKILL')
    return `still running ${LAST_STEPS / 1000} s after the last of its files`
  }
}

/** Processes that run test files one after the other: as many as there are files at the same time. */
export class SharedProcesses {
  readonly #environment: NodeJS.ProcessEnv
  readonly #idle: SharedProcess[] = []
  /** Processes that did not end well after their files: the files of each, and what was wrong. */
  readonly failures: { readonly files: readonly string[]; readonly failure: string }[] = []

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment
  }

  /** Runs a file. The failure of one whose process dies names the files that this had run before. */
  async run(path: string): Promise<FileResult> {
    const shared = this.#idle.pop() ?? new SharedProcess(this.#environment)
    const began = performance.now()
    const result = await shared.run(path)
    if (typeof result !== 'string') {
      if (shared.isFull) await this.#end(shared)
      else this.#idle.push(shared)
      return result
    }
    const before = shared.ran.length === 0 ? '' : `, in a process that had run ${shared.ran.join(', ')}`
    return {
      path,
      output: '',
      failure: `${result}${before}`,
      wallSeconds: (performance.now() - began) / 1000,
      processorSeconds: null,
    }
  }

  /** Lets all processes end. */
  async end(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((shared) => this.#end(shared)))
  }

  async #end(shared: SharedProcess): Promise<void> {
    const failure = await shared.end()
    if (failure !== null) this.failures.push({ files: shared.ran, failure })
  }
}
