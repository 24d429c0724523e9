import { askNode } from '../../test/support/nodeProcess.ts'
import type { Generator, LoadOptions, LoadStats } from '../load/generator.ts'
import { BenchAccount } from './account.ts'
import type { Peer } from './peers.ts'
import { processorSeconds, residentMiB } from './processStats.ts'
import { textOf, type Workload } from './requests.ts'
import type { Scene } from './setup.ts'
import { createWorkloads } from './workloads.ts'

/** One measurement of one node. */
export interface Measurement extends LoadStats {
  /** Processor time of the node per request in microseconds; null for a node started by others. */
  readonly processorMicros: number | null
  readonly memoryMiB: number | null
}

/** Requests of a workload that are checked before it is measured. */
const SAMPLE = 20
const TRANSFER_GAS = 21_000n

/** A node with its scene, ready to be loaded. */
export class Contender {
  readonly peer: Peer
  readonly scene: Scene
  readonly workloads: readonly Workload[]
  readonly #generator: Generator
  readonly #files = new Map<string, string>()
  readonly #sender: BenchAccount

  constructor(peer: Peer, scene: Scene, generator: Generator) {
    this.peer = peer
    this.scene = scene
    this.workloads = createWorkloads(scene)
    this.#generator = generator
    this.#sender = new BenchAccount(peer.url)
  }

  get name(): string {
    return this.peer.name
  }

  workload(name: string): Workload | null {
    return this.workloads.find((candidate) => candidate.name === name) ?? null
  }

  /** Mines a block, which invalidates cached responses. */
  async moveHead(): Promise<void> {
    await this.#sender.prepare()
    await this.#sender.send({ to: this.#sender.account.address, gas: TRANSFER_GAS })
  }

  /** Loads the node. @throws Refusal when a request of the workload is answered with an error */
  async measure(workload: Workload, options: LoadOptions): Promise<Measurement> {
    const file = await this.requestsOf(workload)
    const { pid, url, socketUrl } = this.peer
    const address = workload.transport === 'ws' ? socketUrl : url
    if (address === null) throw new Error(`${this.name} has no WebSocket address`)
    const before = pid === null ? 0 : processorSeconds(pid)
    const stats = await this.#generator.load(address, file, options)
    const used = pid === null ? null : processorSeconds(pid) - before
    return {
      ...stats,
      processorMicros: used === null ? null : (used / answersOf(stats)) * 1e6,
      memoryMiB: pid === null ? null : residentMiB(pid),
    }
  }

  /** The file with the requests of a workload, a sample of which was answered. @throws Refusal */
  async requestsOf(workload: Workload): Promise<string> {
    const known = this.#files.get(workload.name)
    if (known !== undefined) return known
    const bodies = workload.bodies().map(textOf)
    const step = Math.ceil(bodies.length / SAMPLE)
    for (let i = 0; i < bodies.length; i += step) {
      await assertAnswer(this.peer, workload.name, bodies[i] as string)
    }
    const file = this.#generator.write(bodies)
    this.#files.set(workload.name, file)
    return file
  }
}

/** A node responds to a request of a workload with an error, as it does where it lacks the method. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** Requests must succeed, or their speed is meaningless. */
async function assertAnswer({ name, url }: Peer, workload: string, body: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const text = await response.text()
  const answers = [JSON.parse(text)].flat() as { result?: unknown; error?: unknown }[]
  const failed = answers.find(
    ({ result, error }) => error !== undefined || result === null || result === undefined,
  )
  if (failed !== undefined) throw new Refusal(`${name} answers ${workload} with ${text.trim().slice(0, 300)}`)
}

/**
 * Responses within the time and after it, all of which used the processor; the speed counts only the former.
 */
function answersOf({ outcomes: { results, refused, errors } }: LoadStats): number {
  return results + refused + errors
}

/** The height of a node's head. */
export async function heightOf({ url }: Peer): Promise<number> {
  return Number(await askNode<string>(url, 'eth_blockNumber', []))
}
