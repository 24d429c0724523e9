import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, startCommand } from '../support/cli.ts'
import { freePort, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { createRandom } from '../support/random.ts'
import { Acknowledged } from './acknowledged.ts'
import { askBatch } from './askBatch.ts'
import { checkCopy, copyStore } from './checkStore.ts'
import { NodeLoad } from './nodeLoad.ts'
import { PeerMiner } from './peerMiner.ts'
import { copyWhileStopped } from './stoppedCopy.ts'

export interface KillNodeOptions {
  /** Nodes to kill. */
  readonly runs: number
  readonly seed: number
  /** Instants of each run at which the node is stopped, its directory copied and judged as after a kill. */
  readonly instants?: number
  readonly onRun?: (run: KillNodeRun) => void
}

/** One node that was killed. */
export interface KillNodeRun {
  readonly run: number
  /** Milliseconds of load before the kill; after the start of the process when it was killed while it started. */
  readonly delay: number
  readonly starting: boolean
  readonly mode: string
  /** Instants judged besides the kill. */
  readonly instants: number
  /** Acknowledged in all runs on this directory. */
  readonly transactions: number
  readonly blocks: number
  /** Canonical blocks afterwards. */
  readonly height: number
}

export interface KillNodeReport {
  readonly killed: number
  /** Instants judged besides the kills. */
  readonly instants: number
  readonly transactions: number
  readonly blocks: number
  /** Directories, each checked whole at its end by the command line. */
  readonly directories: number
}

/** Runs on one directory, so that the chain grows, but not beyond what a check takes a moment for. */
const RUNS_PER_DIRECTORY = 25
const SHORTEST_MS = 300
const LONGEST_MS = 3000
/** Part of the nodes that are killed while they start. */
const STARTING = 0.1
const CHECKED_STATES = 32
const MODES: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'a block per transaction', args: [] },
  { name: 'a block per second', args: ['--block-time', '1'] },
  { name: 'blocks of others only', args: ['--no-mining'] },
]

/**
 * Kills nodes with SIGKILL at random instants under everything at once: transactions of several senders, blocks
 * made by the node, solutions of a mining pool, blocks of another node, reads. After each kill the store must be
 * whole, and the next node on it must have what was acknowledged.
 * @throws Error that names run and seed when any of this does not hold
 */
export async function killNodes({
  runs,
  seed,
  instants = 0,
  onRun,
}: KillNodeOptions): Promise<KillNodeReport> {
  const random = createRandom(seed)
  let directories = 0
  let judged = 0
  let transactions = 0
  let blocks = 0
  for (let first = 1; first <= runs; first += RUNS_PER_DIRECTORY) {
    const folder = mkdtempSync(join(tmpdir(), 'rhizome-faults-'))
    const chain = new KilledChain(folder, random, instants)
    const last = Math.min(runs, first + RUNS_PER_DIRECTORY - 1)
    let run = first
    try {
      for (; run <= last; run += 1) onRun?.({ run, ...(await chain.kill()) })
      await chain.finish()
    } catch (error) {
      throw new Error(`run ${run}, seed ${seed}, in ${folder}: ${(error as Error).message}`, { cause: error })
    }
    transactions += chain.acknowledged.transactions.size
    blocks += chain.acknowledged.blocks.size
    judged += chain.judged
    directories += 1
    rmSync(folder, { recursive: true, force: true })
  }
  return { killed: runs, instants: judged, transactions, blocks, directories }
}

/** One data directory through its kills. */
class KilledChain {
  readonly acknowledged = new Acknowledged()
  /** Instants judged besides the kills. */
  judged = 0
  readonly #dataDir: string
  readonly #random: () => number
  readonly #instants: number
  readonly #peer: PeerMiner

  constructor(folder: string, random: () => number, instants: number) {
    this.#instants = instants
    this.#dataDir = join(folder, 'node')
    this.#random = random
    this.#peer = new PeerMiner(join(folder, 'peer'))
  }

  async kill(): Promise<Omit<KillNodeRun, 'run'>> {
    const random = this.#random
    const mode = MODES[Math.floor(random() * MODES.length)] ?? { name: '', args: [] }
    const starting = random() < STARTING
    const delay = Math.round(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS))
    // The load draws as many numbers as it gets done, which no seed repeats.
    const loadSeed = Math.floor(random() * 2 ** 32)
    const before = this.judged
    if (starting) await this.#killStarting(delay, mode.args)
    else await this.#killLoaded(delay, mode.args, createRandom(loadSeed))
    const height = await this.#judge(copyStore(this.#dataDir))
    const { transactions, blocks } = this.acknowledged
    const instants = this.judged - before
    return {
      delay,
      starting,
      mode: mode.name,
      instants,
      transactions: transactions.size,
      blocks: blocks.size,
      height,
    }
  }

  /** A last start and a check of every state by the command line. */
  async finish(): Promise<void> {
    const node = await this.#start([])
    await this.acknowledged.verify((asks) => askBatch(node.url, asks), true)
    const ended = await node.stop('SIGTERM')
    if (ended.code !== 0) throw new Error(`the last node ended with ${ended.code}:\n${node.output()}`)
    await this.#peer.close()
    const check = await runCommand(['check', '--full', '--data-dir', this.#dataDir, '--log-level', 'silent'])
    if (check.code !== 0) throw new Error(`check --full: ${check.stdout}${check.stderr}`)
  }

  async #killStarting(delay: number, args: readonly string[]): Promise<void> {
    const port = await freePort()
    const command = startCommand(['start', '--data-dir', this.#dataDir, '--http-port', String(port), ...args])
    await Promise.race([sleep(delay), command.done])
    command.kill('SIGKILL')
    const { signal, stderr } = await command.done
    if (signal !== 'SIGKILL') throw new Error(`the node ended by itself: ${stderr}`)
  }

  async #killLoaded(delay: number, args: readonly string[], random: () => number): Promise<void> {
    const node = await this.#start(args)
    try {
      await this.#load(node, delay, random)
    } finally {
      await node.stop('SIGKILL')
    }
  }

  async #load(node: NodeProcess, delay: number, random: () => number): Promise<void> {
    await this.acknowledged.verify((asks) => askBatch(node.url, asks))
    const load = new NodeLoad({ node, acknowledged: this.acknowledged, peer: this.#peer, random })
    for (let instant = 0; instant < this.#instants; instant += 1) {
      await sleep(random() * 2 * (delay / this.#instants))
      const expected = this.acknowledged.expected()
      const copy = await copyWhileStopped(node.pid, this.#dataDir)
      await checkCopy(copy, CHECKED_STATES, expected)
      this.judged += 1
    }
    await Promise.race([sleep(this.#instants === 0 ? delay : random() * 200), ...load.tasks])
    const { signal } = await node.stop('SIGKILL')
    await load.stop()
    if (signal !== 'SIGKILL') throw new Error(`the node ended by itself:\n${node.output()}`)
    if (load.faults.length > 0) throw new Error(`unexpected answers: ${load.faults.slice(0, 5).join('; ')}`)
  }

  #judge(copy: string): Promise<number> {
    return checkCopy(copy, CHECKED_STATES, this.acknowledged.expected())
  }

  /** Nothing that waits leaves the pool for its age. */
  #start(args: readonly string[]): Promise<NodeProcess> {
    const limits = ['--outdated-blocks', '1000000', '--outdated-time', '31536000', '--workers', '1']
    return startNode({ dataDir: this.#dataDir, args: [...limits, '--log-level', 'error', ...args] })
  }
}
