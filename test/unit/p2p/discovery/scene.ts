import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256 } from '../../../../src/native/crypto.ts'
import { createLogger, type Logger } from '../../../../src/observe/logger.ts'
import { Discovery, type DiscoveryOptions } from '../../../../src/p2p/discovery/discovery.ts'
import { type NodeKey, nodeKeyOf } from '../../../../src/p2p/wire/curve.ts'
import { DatagramNetwork } from '../../../support/datagramNetwork.ts'
import { createRandom } from '../../../support/random.ts'

export const NETWORK_ID = 7771
export const PORT = 5050

/** The key of a name. */
export function keyOf(name: string): NodeKey {
  return nodeKeyOf(keccak256(Buffer.from(name)))
}

/** An address of its own block for each number. */
export function addressOf(index: number): string {
  return `${20 + (index >> 6)}.${index & 63}.1.1`
}

export const SILENT: Logger = createLogger({ level: 'silent', format: 'json' })

/** Nodes of one process under one clock. */
export class DiscoveryScene {
  readonly random: () => number
  readonly network: DatagramNetwork
  readonly #folder: string
  now = 1_000_000

  /** @param loss part of the datagrams that do not arrive */
  constructor(folder: string, seed: number, loss = 0) {
    this.random = createRandom(seed)
    this.network = new DatagramNetwork(() => this.random() < loss)
    this.#folder = folder
  }

  /** A node at {@link addressOf} its number, which asks the first one unless told otherwise. */
  start(index: number, options: Partial<DiscoveryOptions> = {}): Promise<Discovery> {
    const dataDir = join(this.#folder, String(index))
    mkdirSync(dataDir, { recursive: true })
    return Discovery.start({
      key: keyOf(`node ${index}`),
      networkId: NETWORK_ID,
      bootstrap: [{ host: 'bootstrap.example', port: PORT }],
      dataDir,
      host: addressOf(index),
      exemptsLocal: false,
      open: this.network.at(addressOf(index), PORT),
      resolve: async () => [addressOf(0)],
      clock: () => this.now,
      refusesAddress: () => false,
      refusesNode: () => false,
      logger: SILENT,
      random: (below) => Math.floor(this.random() * below),
      ...options,
    })
  }

  /** Lets time go by. @param seconds of it */
  async run(nodes: readonly Discovery[], seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      // Names are resolved by promises.
      await new Promise((resolve) => setImmediate(resolve))
      this.network.deliver()
      this.now += 1_000
      for (const node of nodes) node.tick()
      this.network.deliver()
    }
  }
}
