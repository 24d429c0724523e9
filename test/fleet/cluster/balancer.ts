import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/nodeProcess.ts'

/** A balancer that `.deploy/fleet` has a file for. */
export type BalancerName = 'nginx' | 'haproxy'

/** Why tests of a balancer are left out; false where it is installed. */
export function balancerSkip(name: BalancerName): string | false {
  return spawnSync(name, ['-v']).status === 0 ? false : `no ${name} on this machine`
}

const FILES = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg' } as const
const MEMBERS = ['127.0.0.1:4441', '127.0.0.1:4442', '127.0.0.1:4443']
const PORT = 8545
const SOCKET = '/run/rhizome-nginx.sock'
const LOOK_MS = 50
const LOOKS = 200

export interface BalancerOptions {
  readonly folder: string
  /** Three, HOST:PORT. */
  readonly members: readonly string[]
  /** Other texts of the file, such as time-outs. */
  readonly change?: readonly (readonly [find: string, replace: string])[]
}

/** A balancer with the file of `.deploy/fleet`, as a process of its own. */
export class Balancer {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  /** Starts it and waits until it takes connections. @throws Error with what it printed */
  static async start(
    name: BalancerName,
    { folder, members, change = [] }: BalancerOptions,
  ): Promise<Balancer> {
    const port = await freePort()
    let text = readFileSync(new URL(`../../../.deploy/fleet/${FILES[name]}`, import.meta.url), 'utf8')
    const here: (readonly [string, string])[] = [
      ...MEMBERS.map((address, index) => [address, members[index] ?? ''] as const),
      [
        name === 'nginx' ? `listen ${PORT};` : `bind :${PORT}`,
        name === 'nginx' ? `listen 127.0.0.1:${port};` : `bind 127.0.0.1:${port}`,
      ],
      ...(name === 'nginx'
        ? [[SOCKET, join(mkdtempSync(join(tmpdir(), 'rhizome-')), 'nginx')] as const]
        : []),
      ...change,
    ]
    // At once: what one of them writes is not another one's to find, such as the first digits of a port.
    const texts = new Map(here)
    for (const find of texts.keys())
      if (!text.includes(find)) throw new Error(`.deploy/fleet/${FILES[name]} does not have "${find}"`)
    const any = new RegExp([...texts.keys()].map((find) => find.replace(/\W/g, '\\$&')).join('|'), 'g')
    text = text.replace(any, (find) => texts.get(find) ?? find)
    const path = join(folder, FILES[name])
    writeFileSync(path, text)
    const user = process.getuid?.() === 0 ? 'user root; ' : ''
    const words =
      name === 'nginx'
        ? ['-c', path, '-e', 'stderr', '-g', `${user}daemon off; pid ${join(folder, 'nginx.pid')};`]
        : ['-db', '-f', path]
    const child = spawn(name, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data: Buffer) => {
        output = `${output}${data}`.slice(-10_000)
      })
    process.once('exit', () => child.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    for (let look = 0; look < LOOKS && child.exitCode === null; look += 1) {
      const isThere = await fetch(url).then(
        () => true,
        () => false,
      )
      if (isThere) return new Balancer(url, child)
      await sleep(LOOK_MS)
    }
    child.kill('SIGKILL')
    throw new Error(`${name} does not start:\n${output}`)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
  }
}
