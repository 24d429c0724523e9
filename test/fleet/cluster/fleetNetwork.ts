import { execFileSync } from 'node:child_process'

/** Where a member or a server of NATS runs. */
export interface FleetHost {
  /** What a program runs under to be there. */
  readonly under: readonly string[]
  readonly address: string
}

/** Nobody's: what is sent to it is lost. */
const NOBODY = '02:00:00:00:00:01'
const FLEET_DEVICE = 'fleet'
/** What a run that was killed left has other addresses. */
const RUN = process.pid % 250

/** Of the test itself on this network. */
const OWN_HOST = 250

/**
 * A network with a namespace for each host, all on one switch, as the test is. What one host sends to another can be
 * lost without what comes back, for its table of neighbours is given a wrong address; the test reaches all of them
 * whatever is cut.
 */
export class FleetNetwork {
  readonly hosts: readonly FleetHost[]
  readonly #names: readonly string[]
  readonly #bridge = `fb${process.pid}`
  readonly #cuts = new Set<string>()

  private constructor(count: number) {
    this.#names = Array.from({ length: count }, (_, at) => `rhf${process.pid}-${at}`)
    this.hosts = this.#names.map((name, at) => ({
      under: ['ip', 'netns', 'exec', name],
      address: `10.90.${RUN}.${at + 1}`,
    }))
  }

  /** @returns null where that is not allowed */
  static create(count: number): FleetNetwork | null {
    if (process.getuid?.() !== 0) return null
    const network = new FleetNetwork(count)
    process.once('exit', () => network.remove())
    try {
      network.#make()
      return network
    } catch {
      network.remove()
      return null
    }
  }

  /** From now on what one host sends to another is lost. */
  cut(from: number, to: number): void {
    this.#cuts.add(`${from} ${to}`)
    ip(
      '-n',
      this.#name(from),
      'neigh',
      'replace',
      this.#address(to),
      'lladdr',
      NOBODY,
      'dev',
      FLEET_DEVICE,
      'nud',
      'permanent',
    )
  }

  /** Nothing is lost any more. */
  heal(): void {
    for (const cut of this.#cuts) {
      const [from = 0, to = 0] = cut.split(' ').map(Number)
      ip('-n', this.#name(from), 'neigh', 'del', this.#address(to), 'dev', FLEET_DEVICE)
    }
    this.#cuts.clear()
  }

  remove(): void {
    const commands = [...this.#names.map((name) => ['netns', 'del', name]), ['link', 'del', this.#bridge]]
    for (const words of commands) {
      try {
        ip(...words)
      } catch {
        // It was not made.
      }
    }
  }

  #make(): void {
    ip('link', 'add', this.#bridge, 'type', 'bridge')
    ip('addr', 'add', `10.90.${RUN}.${OWN_HOST}/24`, 'dev', this.#bridge)
    ip('link', 'set', this.#bridge, 'up')
    this.#names.forEach((name, at) => {
      const { address } = this.hosts[at] as FleetHost
      const plug = `fp${process.pid}-${at}`
      ip('netns', 'add', name)
      ip('-n', name, 'link', 'set', 'lo', 'up')
      ip('link', 'add', plug, 'type', 'veth', 'peer', 'name', FLEET_DEVICE, 'netns', name)
      ip('link', 'set', plug, 'master', this.#bridge, 'up')
      ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', FLEET_DEVICE)
      ip('-n', name, 'link', 'set', FLEET_DEVICE, 'up')
    })
  }

  #name(at: number): string {
    return this.#names[at] ?? ''
  }

  #address(at: number): string {
    return this.hosts[at]?.address ?? ''
  }
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] })
}
