import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, startCommand } from '../support/cli.ts'
import { freePort, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { createRandom } from '../support/random.ts'
import { checkCopy, copyStore } from './checkStore.ts'
import { SyncSource } from './syncSource.ts'

export interface KillSyncOptions {
  /** Nodes to kill. */
  readonly runs: number
  readonly seed: number
  /** Blocks that the other node has before the first one starts. */
  readonly blocks?: number
  readonly onRun?: (run: KillSyncRun) => void
}

/** One node that was killed. */
export interface KillSyncRun {
  readonly run: number
  /** Milliseconds after it answered, or after the start of the process when it was killed while it started. */
  readonly delay: number
  readonly starting: boolean
  /** Height that the other node had at the kill. */
  readonly target: number
  /** Highest head that the node told anybody, in all runs on this directory; 0 for none. */
  readonly told: number
  /** Height in the stores afterwards. */
  readonly height: number
}

export interface KillSyncReport {
  readonly killed: number
  /** Kills while the node was behind the other one, and while it was at its head. */
  readonly behind: number
  readonly atTip: number
  /** Directories; at the end of each the node reached the other one's head, and all states were read. */
  readonly directories: number
}

/** Runs on one directory, so that some of them interrupt the way up to the head. */
const RUNS_PER_DIRECTORY = 10
const BLOCKS = 1500
const STARTING = 0.15
const MAX_MILLISECONDS = 2500
const CHECKED_STATES = 32
const LOOK_MS = 20
/** Looks for the same head: a count, because a whole machine may have stood still meanwhile. */
const LOOKS = 6000
const NOTHING = { transactions: [], access: { keys: [], requests: new Map<string, number>() } }

/**
 * Kills nodes with SIGKILL at random instants while they synchronise from another node and follow its tip: blocks
 * with and without transactions, many at once, reorganisations. After each kill the stores must be whole, have every
 * block that the node ever called its head, and be no lower than that; the next node goes on with them. In the end
 * it has the other one's head.
 * @throws Error that names run and seed when any of this does not hold
 */
export async function killSyncs({
  runs,
  seed,
  blocks = BLOCKS,
  onRun,
}: KillSyncOptions): Promise<KillSyncReport> {
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-faults-'))
  const source = await SyncSource.start(join(folder, 'source'), createRandom(Math.floor(random() * 2 ** 32)))
  let directories = 0
  let behind = 0
  let atTip = 0
  let run = 1
  try {
    await source.mine(blocks)
    while (run <= runs) {
      const node = new KilledSync(join(folder, `node-${run}`), source, random)
      const last = Math.min(runs, run + RUNS_PER_DIRECTORY - 1)
      for (; run <= last; run += 1) {
        const killed = { run, ...(await node.kill()) }
        if (killed.height < killed.target) behind += 1
        else atTip += 1
        onRun?.(killed)
      }
      await node.finish()
      directories += 1
      rmSync(node.dataDir, { recursive: true, force: true })
    }
  } catch (error) {
    throw new Error(`run ${run}, seed ${seed}, in ${folder}: ${(error as Error).message}`, { cause: error })
  } finally {
    await source.close()
  }
  rmSync(folder, { recursive: true, force: true })
  return { killed: runs, behind, atTip, directories }
}

interface Head {
  readonly number: string
  readonly hash: string
}

/** One data directory through its kills. */
class KilledSync {
  readonly dataDir: string
  readonly #source: SyncSource
  readonly #random: () => number
  /** Hashes of all heads that the node told. */
  readonly #told = new Set<string>()
  #highest = 0

  constructor(dataDir: string, source: SyncSource, random: () => number) {
    this.dataDir = dataDir
    this.#source = source
    this.#random = random
  }

  async kill(): Promise<Omit<KillSyncRun, 'run'>> {
    const starting = this.#random() < STARTING && this.#highest > 0
    const delay = Math.round(this.#random() * MAX_MILLISECONDS)
    this.#source.grow()
    if (starting) await this.#killStarting(delay)
    else await this.#killRunning(delay)
    await this.#source.rest()
    const target = await this.#source.height()
    const expected = { ...NOTHING, blocks: [...this.#told] }
    const height = (await checkCopy(copyStore(this.dataDir), CHECKED_STATES, expected)) - 1
    if (height < this.#highest) throw new Error(`head ${height} after it told ${this.#highest}`)
    return { delay, starting, target, told: this.#highest, height }
  }

  /** The next node reaches the other one's head; every state of its chain is there. */
  async finish(): Promise<void> {
    const node = await this.#start()
    try {
      const expected = await this.#source.head()
      for (let look = 0; (await this.#look(node)).hash !== expected.hash; look += 1) {
        if (look > LOOKS) throw new Error(`it does not come to ${expected.number}:\n${node.output()}`)
        await sleep(LOOK_MS)
      }
    } finally {
      await node.stop('SIGTERM')
    }
    const check = await runCommand(['check', '--full', '--data-dir', this.dataDir, '--log-level', 'silent'])
    if (check.code !== 0) throw new Error(`check --full: ${check.stdout}${check.stderr}`)
  }

  async #killStarting(delay: number): Promise<void> {
    const port = await freePort()
    const command = startCommand(['start', '--http-port', String(port), ...this.#arguments()])
    await Promise.race([sleep(delay), command.done])
    command.kill('SIGKILL')
    const { signal, stderr } = await command.done
    if (signal !== 'SIGKILL') throw new Error(`the node ended by itself: ${stderr}`)
  }

  async #killRunning(delay: number): Promise<void> {
    const node = await this.#start()
    let isOver = false
    const watch = async () => {
      while (!isOver) {
        await this.#look(node).catch((error: unknown) => {
          if (!isOver) throw error
        })
        await sleep(LOOK_MS)
      }
    }
    const watching = watch()
    await Promise.race([sleep(delay), watching])
    isOver = true
    const { signal } = await node.stop('SIGKILL')
    await watching
    if (signal !== 'SIGKILL') throw new Error(`the node ended by itself:\n${node.output()}`)
  }

  async #look(node: NodeProcess): Promise<Head> {
    const head = await node.request<Head>('eth_getBlockByNumber', ['latest', false])
    this.#told.add(head.hash)
    this.#highest = Math.max(this.#highest, Number(head.number))
    return head
  }

  #start(): Promise<NodeProcess> {
    return startNode({ dataDir: this.dataDir, args: this.#arguments().slice(2) })
  }

  #arguments(): string[] {
    const peers = ['--peer', this.#source.enode, '--p2p-host', '127.0.0.1', '--p2p-port', '0']
    const quiet = ['--no-mining', '--no-page', '--workers', '1', '--log-level', 'error']
    return ['--data-dir', this.dataDir, ...peers, ...quiet]
  }
}
