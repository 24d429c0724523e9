import { setTimeout as sleep } from 'node:timers/promises'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { keyRecord } from '../support/keyRecords.ts'
import { askNode, JsonRpcError } from '../support/nodeProcess.ts'
import type { Acknowledged } from './acknowledged.ts'
import { UsageFault } from './acknowledgedAccess.ts'

/** Requests between two looks at the usage of a key, and looks at a key before the next one is made. */
const REQUESTS = 10
const LOOKS = 3
/** A report is given again for a second. */
const REPORT_MS = 1000
const UNAUTHORIZED = -32_001

/** What a node shows of the usage of a key. */
interface UsageReport {
  readonly days: readonly { readonly requests: number }[]
}

/** The secret of a key that the load made. */
export const secretOf = (id: string): string => `${id}-secret`

/** Makes keys beside a node, uses them, and asks what was used. */
export class KeyLoad {
  readonly #dataDir: string
  readonly #acknowledged: Acknowledged
  #made = 0

  constructor(dataDir: string, acknowledged: Acknowledged) {
    this.#dataDir = dataDir
    this.#acknowledged = acknowledged
  }

  /** Makes a key as `key create` does: in another process than the node's. */
  async make(): Promise<string> {
    this.#made += 1
    const id = `key-${this.#made}`
    const store = AccessStore.open({ dataDir: this.#dataDir })
    try {
      store.create(keyRecord(id))
    } finally {
      await store.close()
    }
    this.#acknowledged.access.keys.add(id)
    return id
  }

  /** One key from its making through some reports of its usage. @throws what fetch throws when the node is gone */
  async use(origin: string, isOver: () => boolean): Promise<void> {
    const id = await this.make()
    const url = `${origin}/${secretOf(id)}`
    await this.#untilOpen(url, isOver)
    for (let look = 0; look < LOOKS && !isOver(); look += 1) {
      for (let request = 0; request < REQUESTS; request += 1) await askNode(url, 'eth_chainId', [])
      const shown = await this.look(origin, id)
      if (shown < REQUESTS)
        throw new UsageFault(`${REQUESTS} requests of ${id} were answered, ${shown} are shown`)
      await sleep(REPORT_MS / LOOKS)
    }
  }

  /** Asks what was used of a key, and remembers it as acknowledged; how many requests. */
  async look(origin: string, id: string): Promise<number> {
    const response = await fetch(`${origin}/${secretOf(id)}/usage`)
    if (response.status !== 200) throw new UsageFault(`usage of ${id}: status ${response.status}`)
    const { days } = (await response.json()) as UsageReport
    const requests = days.reduce((sum, day) => sum + day.requests, 0)
    this.#acknowledged.access.shown(id, requests)
    return requests
  }

  /** A running node takes a key within a second. */
  async #untilOpen(url: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        await askNode(url, 'eth_chainId', [])
        return
      } catch (error) {
        if (!(error instanceof JsonRpcError) || error.code !== UNAUTHORIZED) throw error
        await sleep(50)
      }
    }
  }
}
