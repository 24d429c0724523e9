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
import { KeyLoad, secretOf } from './keyLoad.ts'
import { NodeLoad } from './nodeLoad.ts'
import { PeerMiner } from './peerMiner.ts'
import { copyWhileStopped } from './stoppedCopy.ts'

export interface KillNodeOptions {
  /** Nodes to kill. */
  readonly runs: number
  readonly seed: number
  /** Instants of each run at which the node is stopped, its directory copied and judged as after a kill. */
  readonly instants?: number
  /** Longest load before a kill, milliseconds; 3000 unless given. */
  readonly longest?: number
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
  readonly keys: number
  /** Requests of keys that nodes have shown. */
  readonly requests: number
  /** Canonical blocks afterwards. */
  readonly height: number
}

export interface KillNodeReport {
  readonly killed: number
  /** Instants judged besides the kills. */
  readonly instants: number
  readonly transactions: number
  readonly blocks: number
  readonly keys: number
  readonly requests: number
  /** Directories, each checked whole at its end by the command line. */
  readonly directories: number
}

/** Runs on one directory, so that the chain grows, but not beyond what a check takes a moment for. */
const RUNS_PER_DIRECTORY = 25
/** Of the kills, those after which the command line reads every state. */
const FULL_CHECK_EVERY = 10
const MIN_MILLISECONDS = 300
const MAX_MILLISECONDS = 3000
/** Part of the nodes that are killed while they start. */
const STARTING = 0.1
const CHECKED_STATES = 32
/** Keys that a start is asked for; the store itself is asked for all. */
const NEWEST_KEYS = 5
const MODES: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'a block per transaction', args: [] },
  { name: 'a block per second', args: ['--block-time', '1'] },
  { name: 'blocks of others only', args: ['--no-mining'] },
]

/**
 * Kills nodes with SIGKILL at random instants under everything at once: transactions of several senders, blocks
 * made by the node, solutions of a mining pool, blocks of another node, reads, keys and their use. After each kill the
 * stores must be whole and have what was acknowledged, and so must the next node on them.
 * @throws Error that names run and seed when any of this does not hold
 */
export async function killNodes({
  runs,
  seed,
  instants = 0,
  longest = MAX_MILLISECONDS,
  onRun,
}: KillNodeOptions): Promise<KillNodeReport> {
  const random = createRandom(seed)
  let directories = 0
  let judged = 0
  let transactions = 0
  let blocks = 0
  let keys = 0
  let requests = 0
  for (let first = 1; first <= runs; first += RUNS_PER_DIRECTORY) {
    const folder = mkdtempSync(join(tmpdir(), 'rhizome-faults-'))
    const chain = new KilledChain({ folder, random, instants, longest })
    const last = Math.min(runs, first + RUNS_PER_DIRECTORY - 1)
    let run = first
    try {
      await chain.prepare()
      for (; run <= last; run += 1) onRun?.({ run, ...(await chain.kill()) })
      await chain.finish()
    } catch (error) {
      throw new Error(`run ${run}, seed ${seed}, in ${folder}: ${(error as Error).message}`, { cause: error })
    } finally {
      await chain.close()
    }
    transactions += chain.acknowledged.transactions.size
    blocks += chain.acknowledged.blocks.size
    keys += chain.acknowledged.access.keys.size
    requests += chain.acknowledged.access.requests
    judged += chain.judged
    directories += 1
    rmSync(folder, { recursive: true, force: true })
  }
  return { killed: runs, instants: judged, transactions, blocks, keys, requests, directories }
}

interface KilledChainOptions {
  readonly folder: string
  readonly random: () => number
  readonly instants: number
  readonly longest: number
}

/** One data directory through its kills. */
class KilledChain {
  readonly acknowledged = new Acknowledged()
  /** Instants judged besides the kills. */
  judged = 0
  readonly #dataDir: string
  readonly #random: () => number
  readonly #instants: number
  readonly #longest: number
  readonly #peer: PeerMiner
  readonly #keys: KeyLoad
  #kills = 0
  /** Key of all requests but those that are made to count. */
  #key = ''

  constructor({ folder, random, instants, longest }: KilledChainOptions) {
    this.#instants = instants
    this.#longest = longest
    this.#dataDir = join(folder, 'node')
    this.#random = random
    this.#peer = new PeerMiner(join(folder, 'peer'))
    this.#keys = new KeyLoad(this.#dataDir, this.acknowledged)
  }

  /** Makes the first key: from then on a node lets nobody in without one. */
  async prepare(): Promise<void> {
    this.#key = await this.#keys.make()
  }

  async kill(): Promise<Omit<KillNodeRun, 'run'>> {
    const random = this.#random
    const mode = MODES[Math.floor(random() * MODES.length)] ?? { name: '', args: [] }
    const starting = random() < STARTING
    const delay = Math.round(MIN_MILLISECONDS + random() * (this.#longest - MIN_MILLISECONDS))
    // The load draws as many numbers as it gets done, which no seed repeats.
    const loadSeed = Math.floor(random() * 2 ** 32)
    const before = this.judged
    if (starting) await this.#killStarting(delay, mode.args)
    else await this.#killLoaded(delay, mode.args, createRandom(loadSeed))
    const height = await this.#judge(copyStore(this.#dataDir))
    this.#kills += 1
    if (this.#kills % FULL_CHECK_EVERY === 0) await this.#checkFull()
    const { transactions, blocks, access } = this.acknowledged
    const instants = this.judged - before
    return {
      delay,
      starting,
      mode: mode.name,
      instants,
      transactions: transactions.size,
      blocks: blocks.size,
      keys: access.keys.size,
      requests: access.requests,
      height,
    }
  }

  /** A last start and a check of every state by the command line. */
  async finish(): Promise<void> {
    const node = await this.#start([])
    try {
      await this.acknowledged.verify((asks) => askBatch(node.url, asks), true)
    } finally {
      await node.stop('SIGTERM')
    }
    const ended = await node.stop()
    if (ended.code !== 0) throw new Error(`the last node ended with ${ended.code}:\n${node.output()}`)
    await this.#checkFull()
  }

  /** Lets go of what the other node has open. */
  close(): Promise<void> {
    return this.#peer.close()
  }

  async #checkFull(): Promise<void> {
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
    await this.#verifyKeys(node)
    const load = new NodeLoad({
      node,
      acknowledged: this.acknowledged,
      peer: this.#peer,
      keys: this.#keys,
      random,
    })
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

  /** The newest keys open the node, and it shows what was shown of them. */
  async #verifyKeys(node: NodeProcess): Promise<void> {
    const { origin } = new URL(node.url)
    for (const id of [...this.acknowledged.access.keys].slice(-NEWEST_KEYS)) await this.#keys.look(origin, id)
  }

  #judge(copy: string): Promise<number> {
    return checkCopy(copy, CHECKED_STATES, this.acknowledged.expected())
  }

  /** Nothing that waits leaves the pool for its age. */
  #start(args: readonly string[]): Promise<NodeProcess> {
    const limits = ['--outdated-blocks', '1000000', '--outdated-time', '31536000', '--workers', '1']
    return startNode({
      dataDir: this.#dataDir,
      path: `/${secretOf(this.#key)}`,
      args: [...limits, '--log-level', 'error', ...args],
    })
  }
}
