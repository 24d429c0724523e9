import { execFileSync } from 'node:child_process'

/** A network namespace with one node, as the node and as the test see it. */
export interface Namespace {
  /** What a program runs under to be in it. */
  readonly under: readonly string[]
  /** Of the node, and of the test's end of the cable, which is the only way out. */
  readonly address: string
  readonly gateway: string
}

const FIRST = 100
/** What a run that was killed left has other addresses. */
const RUN = process.pid % 250

/** Namespaces with a virtual cable to this one each: nothing goes from one to another but through the test. */
export class Namespaces {
  readonly all: readonly Namespace[]
  readonly #names: readonly string[]

  private constructor(names: readonly string[]) {
    this.#names = names
    this.all = names.map((name, at) => ({
      under: ['ip', 'netns', 'exec', name],
      address: `10.${FIRST + at}.${RUN}.2`,
      gateway: `10.${FIRST + at}.${RUN}.1`,
    }))
  }

  /** @returns null where that is not allowed */
  static create(count: number): Namespaces | null {
    if (process.getuid?.() !== 0) return null
    const names = Array.from({ length: count }, (_, at) => `rhz${process.pid}-${at}`)
    const made = new Namespaces(names)
    // Also where the test itself fails.
    process.once('exit', () => made.remove())
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
    try {
      names.forEach((name, at) => {
        const [near, far] = [`z${process.pid}h${at}`, `z${process.pid}n${at}`]
        const { address, gateway } = made.all[at] as Namespace
        ip('netns', 'add', name)
        ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name)
        ip('addr', 'add', `${gateway}/24`, 'dev', near)
        ip('link', 'set', near, 'up')
        ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', far)
        ip('-n', name, 'link', 'set', far, 'up')
        ip('-n', name, 'link', 'set', 'lo', 'up')
      })
      return made
    } catch {
      made.remove()
      return null
    }
  }

  /** A cable from one namespace to another, with an IPv6 address at each end. @returns these */
  join(first: number, second: number): readonly [string, string] {
    const [one, other] = [this.#names[first] as string, this.#names[second] as string]
    const [near, far] = [`z${process.pid}a`, `z${process.pid}b`]
    ip('-n', one, 'link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', other)
    const ends = [
      [one, near, 'fd00:77::1'],
      [other, far, 'fd00:77::2'],
    ] as const
    for (const [name, device, address] of ends) {
      ip('-n', name, '-6', 'addr', 'add', `${address}/64`, 'dev', device, 'nodad')
      ip('-n', name, 'link', 'set', device, 'up')
    }
    return [ends[0][2], ends[1][2]]
  }

  /** The routes of a node: everything goes to the test. */
  routeOut(): void {
    this.#names.forEach((name, at) => {
      ip('-n', name, 'route', 'add', 'default', 'via', this.all[at]?.gateway ?? '')
    })
  }

  /** Ends of cables go with their namespaces. */
  remove(): void {
    for (const name of this.#names) {
      try {
        ip('netns', 'del', name)
      } catch {
        // It was not made.
      }
    }
  }
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] })
}
