import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A function of a thread, and the share of all samples that were taken in the function itself. */
export interface FunctionShare {
  readonly thread: number
  /** File of the code: the program, a library, the kernel. */
  readonly object: string
  readonly name: string
  readonly share: number
}

/** Options of Node.js with which it names the functions that it compiled. */
export const PROFILED: readonly string[] = ['--perf-basic-prof-only-functions']

const FREQUENCY = '997'
const MAX_OUTPUT = 2 ** 28
/** `perf report` writes a thread as id:name. */
const LINE = /^\s*([\d.]+)%\s*;\s*(\d+):[^;]*;\s*([^;]*?)\s*;\s*\[.\]\s*(.*?)\s*$/

/** Samples of `perf` of a process, all threads, from the program to the kernel. */
export class Profile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rhizome-profile-'))
  readonly #perf: ChildProcess

  /** Begins. @throws Error where there is no `perf` */
  constructor(pid: number) {
    if (spawnSync('perf', ['--version']).error !== undefined) throw new Error('--profile needs perf')
    this.#perf = spawn('perf', ['record', '-q', '-F', FREQUENCY, '-p', String(pid), '-o', this.#file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  get #file(): string {
    return join(this.#folder, 'perf.data')
  }

  /** Ends it: the functions of all threads, those with the most samples first. The process must still run. */
  async end(): Promise<FunctionShare[]> {
    this.#perf.kill('SIGINT')
    await once(this.#perf, 'exit')
    const args = [
      'report',
      '-i',
      this.#file,
      '--stdio',
      '--no-children',
      '--sort',
      'pid,dso,sym',
      '-t',
      ';',
      '-w',
      '0',
    ]
    const text = execFileSync('perf', args, {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    rmSync(this.#folder, { recursive: true, force: true })
    return text.split('\n').flatMap((line) => {
      const [, share, thread, object = '', name = ''] = LINE.exec(line) ?? []
      return share === undefined ? [] : [{ thread: Number(thread), object, name, share: Number(share) / 100 }]
    })
  }
}
