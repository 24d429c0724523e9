import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { HOME, type MachineSettings, type Mount } from './machine.ts'

const ENTER = fileURLToPath(new URL('enter.sh', import.meta.url))
/** Lines of output that are kept of a command. */
const KEPT_LINES = 400

/** A command that runs in a root. */
export interface Running {
  /** Exit code when it has ended by itself; null when it was killed. */
  readonly ended: Promise<number | null>
  /** Its newest lines, of both outputs. */
  readonly lines: readonly string[]
  /** Kills the command and all that it started. */
  kill(): Promise<void>
}

export interface RunOptions {
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly mounts?: readonly Mount[]
  /** Called with each line of output as it comes. */
  readonly onLine?: (line: string) => void
}

/** A Debian in a folder of the machine, with the packages that were asked for and no others. */
export class CleanRoot {
  readonly #settings: MachineSettings
  readonly folder: string
  readonly #running = new Set<Running>()

  /** @param folder of the machine, which does not exist yet; beside it lies the configuration of apt */
  constructor(folder: string, settings: MachineSettings) {
    this.folder = folder
    this.#settings = settings
  }

  /** Fills the folder from the mirror. Throws with what mmdebstrap says when that fails. */
  create(suite: string, packages: readonly string[]): void {
    const apt = `${this.folder}.apt.conf`
    writeFileSync(apt, `${this.#settings.apt}\n`)
    const mirror = this.#settings.mirror === null ? [] : [this.#settings.mirror]
    // What is written need not outlast a power cut.
    const words = [
      '--variant=minbase',
      '--mode=root',
      '--dpkgopt=force-unsafe-io',
      `--aptopt=${apt}`,
      `--include=${packages.join(',')}`,
    ]
    const made = spawnSync('mmdebstrap', [...words, suite, this.folder, ...mirror], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (made.status !== 0) throw new Error(`mmdebstrap ${suite} failed:\n${made.stderr ?? made.error}`)
    // Every system that was started once has one.
    writeFileSync(join(this.folder, 'etc/machine-id'), `${randomUUID().replaceAll('-', '')}\n`)
  }

  /** Starts a command of bash in the root, in processes and mounts of its own. */
  start(command: string, options: RunOptions = {}): Running {
    const mounts = [...this.#settings.mounts, ...(options.mounts ?? [])]
    const environment = {
      HOME,
      LANG: 'C.UTF-8',
      PATH: '/opt/node/bin:/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...this.#settings.environment,
      ...options.environment,
    }
    const words = [
      ...['--mount', '--pid', '--fork', '--kill-child', ENTER, this.folder],
      ...mounts.map(({ from, to, mode }) => `${from}:${to}:${mode}`),
      ...[
        '--',
        '/usr/bin/env',
        '-i',
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      ],
      ...['bash', '-c', `cd ${options.folder ?? '/'} && ${command}`],
    ]
    const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (lines.length > KEPT_LINES) lines.shift()
        options.onLine?.(line)
      })
    const ended = endOf(child)
    const running: Running = {
      ended,
      lines,
      kill: async () => {
        child.kill('SIGKILL')
        await ended
      },
    }
    this.#running.add(running)
    void ended.then(() => this.#running.delete(running))
    return running
  }

  /** Runs a command to its end. Throws with its newest lines when it fails. */
  async run(command: string, options: RunOptions = {}): Promise<readonly string[]> {
    const running = this.start(command, options)
    const status = await running.ended
    if (status !== 0) throw new Error(`${command}: exit ${status}\n${running.lines.slice(-30).join('\n')}`)
    return running.lines
  }

  /** Ends what still runs in the root, then removes it: the mounts have gone with the processes. */
  async remove(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.kill()))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const endOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status))
  })
