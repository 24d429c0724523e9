import { randomInt, randomUUID } from 'node:crypto'
import type { BootstrapNode } from '../../config/networkSpec.ts'
import type { Logger } from '../../observe/logger.ts'
import type { NodeKey } from '../wire/curve.ts'
import { AddressBook } from './addressBook.ts'
import { findBootstrapNodes, type Resolve } from './bootstrapNodes.ts'
import { chooseSome } from './chooseSome.ts'
import type { DatagramTransport, OpenDatagrams } from './datagrams.ts'
import { DiscoveryProtocol, type DiscoveryStats } from './discoveryProtocol.ts'

/** Intervals of periodic tasks, milliseconds (p2p.md §1 for the third). */
const PERIODS = { fill: 3_000, expire: 5_000, refresh: 60_000, save: 300_000 } as const
/** The shortest of them. */
const TICK = 1_000
/** Most saved nodes that are asked at the start. */
const MAX_SAVED_ASKED = 128

export interface DiscoveryOptions {
  readonly key: NodeKey
  readonly networkId: number
  /** Nodes that are asked while none is known. */
  readonly bootstrap: readonly BootstrapNode[]
  /** Folder of the address book. */
  readonly dataDir: string
  /** Host announced in packets: an address of this node where one is known (p2p.md §1). */
  readonly host: string
  /** True when local addresses are exempt from subnet limits, as on development networks. */
  readonly exemptsLocal: boolean
  readonly open: OpenDatagrams
  readonly resolve: Resolve
  /** Milliseconds, steady. */
  readonly clock: () => number
  readonly refusesAddress: (address: string) => boolean
  readonly refusesNode: (id: string) => boolean
  readonly logger: Logger
  /** A random integer from 0 to below the argument; tests may supply their own. */
  readonly random?: (below: number) => number
}

/** A node that may be dialled. */
export interface DialCandidate {
  /** 128 hex digits. */
  readonly id: string
  readonly address: string
  readonly port: number
}

/** Discovers nodes over UDP (p2p.md §1) and saves them across restarts. */
export class Discovery {
  readonly #options: DiscoveryOptions
  readonly #random: (below: number) => number
  readonly #book: AddressBook
  readonly #transport: DatagramTransport
  readonly #protocol: DiscoveryProtocol
  readonly #due: Record<keyof typeof PERIODS, number>
  #timer: NodeJS.Timeout | null = null
  #asking: Promise<void> | null = null
  #saving: Promise<void> = Promise.resolve()

  private constructor(options: DiscoveryOptions, transport: DatagramTransport, protocol: DiscoveryProtocol) {
    const now = options.clock()
    this.#options = options
    this.#random = options.random ?? randomInt
    this.#book = new AddressBook(options.dataDir, options.networkId, options.logger)
    this.#transport = transport
    this.#protocol = protocol
    this.#due = {
      fill: now + PERIODS.fill,
      expire: now + PERIODS.expire,
      refresh: now + PERIODS.refresh,
      save: now + PERIODS.save,
    }
  }

  /** Opens the port and asks the saved nodes and the bootstrap nodes. @throws Error without the port */
  static async start(options: DiscoveryOptions): Promise<Discovery> {
    let protocol: DiscoveryProtocol | null = null
    const transport = await options.open((bytes, address, port) => protocol?.receive(bytes, address, port))
    protocol = new DiscoveryProtocol({
      ...options,
      port: transport.port,
      random: options.random ?? randomInt,
      uuid: randomUUID,
      send: (bytes, port, address) => transport.send(bytes, port, address),
    })
    const discovery = new Discovery(options, transport, protocol)
    for (const node of chooseSome(await discovery.#book.read(), MAX_SAVED_ASKED, discovery.#random)) {
      if (!options.refusesNode(node.id)) protocol.ping(node.address, node.port, node.id)
    }
    discovery.#askBootstrapNodes()
    discovery.#timer = setInterval(() => discovery.tick(), TICK)
    discovery.#timer.unref()
    return discovery
  }

  /** UDP port. */
  get port(): number {
    return this.#transport.port
  }

  /** Nodes that responded, in random order. */
  candidates(): DialCandidate[] {
    const { refusesAddress, refusesNode } = this.#options
    const nodes = this.#protocol
      .nodes()
      .filter(({ id, address }) => !refusesAddress(address) && !refusesNode(id))
      .map(({ id, address, port }) => ({ id, address, port }))
    return chooseSome(nodes, nodes.length, this.#random)
  }

  stats(): DiscoveryStats {
    return this.#protocol.stats()
  }

  /** Runs due tasks; a timer calls it every second. */
  tick(): void {
    if (this.#isDue('fill')) this.#protocol.fill()
    if (this.#isDue('expire')) this.#protocol.expire()
    if (this.#isDue('refresh')) {
      if (this.#protocol.knowsNobody) this.#askBootstrapNodes()
      this.#protocol.refresh()
    }
    if (this.#isDue('save')) void this.#save()
  }

  /** Saves the known nodes and closes the port. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    await this.#transport.close()
    await this.#asking
    await this.#save()
  }

  #isDue(what: keyof typeof PERIODS): boolean {
    const now = this.#options.clock()
    if (now < this.#due[what]) return false
    this.#due[what] = now + PERIODS[what]
    return true
  }

  #askBootstrapNodes(): void {
    const { bootstrap, resolve, logger } = this.#options
    if (bootstrap.length === 0 || this.#asking !== null) return
    const ask = async () => {
      const endpoints = await findBootstrapNodes(bootstrap, resolve, logger)
      if (this.#timer === null) return
      for (const { address, port } of chooseSome(endpoints, endpoints.length, this.#random)) {
        this.#protocol.ping(address, port, null)
      }
    }
    this.#asking = ask().finally(() => {
      this.#asking = null
    })
  }

  #save(): Promise<void> {
    const nodes = this.#protocol.nodes()
    // A node that found no other, perhaps without a network, keeps the saved nodes.
    if (nodes.length > 0) this.#saving = this.#saving.then(() => this.#book.write(nodes))
    return this.#saving
  }
}
