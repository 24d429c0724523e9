import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/util/bytes.ts'
import { runCommand } from '../support/cli.ts'
import { JsonRpcError, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { createRandom } from '../support/random.ts'
import { COW, STRANGER, signedTransaction } from '../support/signedTransaction.ts'
import { askBatch } from './askBatch.ts'

export interface KillPrunedOptions {
  /** Nodes to kill. */
  readonly runs: number
  readonly seed: number
  readonly onRun?: (run: KillPrunedRun) => void
}

/** One node that was killed. */
export interface KillPrunedRun {
  readonly run: number
  readonly delay: number
  readonly mode: string
  /** Blocks afterwards, and the first ones with values and with a trie. */
  readonly height: number
  readonly firstValues: number
  readonly firstState: number
}

/** Least blocks that a node keeps. */
const KEPT = 128
/** Blocks before the first kill: then epochs are sealed and given up, and values are given up as blocks come. */
const FIRST_BLOCKS = 450
const LONGEST_MS = 2500
const BATCH = 20
const MODES: readonly (readonly string[])[] = [
  ['--proofs', 'blocks:128', '--history', 'blocks:128'],
  ['--proofs', 'blocks:128', '--history', 'blocks:128'],
  ['--proofs', 'blocks:128', '--history', 'blocks:300'],
  ['--proofs', 'blocks:128', '--history', 'archive'],
  ['--proofs', 'archive', '--history', 'archive'],
]
const NOT_KEPT = 4444

interface Capabilities {
  readonly head: { readonly number: string }
  readonly state: { readonly oldestBlock: string }
  readonly stateproofs: { readonly oldestBlock: string }
}

/**
 * Kills nodes that give old states up with SIGKILL at random instants, while they make blocks of a transaction each. After
 * each kill `check --full` must find nothing, and the next node, which may keep other blocks, must have every balance of
 * the blocks that it is to keep, and of older ones the same balance or error 4444 with a later first block.
 * @returns the last run
 * @throws Error that names run and seed when any of this does not hold
 */
export async function killPruned({ runs, seed, onRun }: KillPrunedOptions): Promise<KillPrunedRun> {
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-pruned-'))
  const chain = new PrunedChain(join(folder, 'node'))
  let last: KillPrunedRun | null = null
  let run = 1
  try {
    for (; run <= runs; run += 1) {
      const args = MODES[run === 1 ? 0 : Math.floor(random() * MODES.length)] ?? []
      const delay = Math.round(random() * LONGEST_MS)
      last = { run, delay, mode: args.join(' '), ...(await chain.kill(args, delay)) }
      onRun?.(last)
    }
    if (last === null) throw new Error('nothing to kill')
    return last
  } catch (error) {
    throw new Error(`run ${run}, seed ${seed}: ${(error as Error).message}`, { cause: error })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One data directory through its kills. */
class PrunedChain {
  readonly #dataDir: string
  /** Balance of the stranger by block, as nodes have shown it. */
  readonly #shown = new Map<number, string>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  async kill(args: readonly string[], delay: number): Promise<Omit<KillPrunedRun, 'run' | 'delay' | 'mode'>> {
    const node = await startNode({
      dataDir: this.#dataDir,
      args: [...args, '--workers', '1', '--log-level', 'error'],
    })
    try {
      const found = await this.#verify(node)
      while (found.height < FIRST_BLOCKS) found.height = await this.#grow(node)
      const growing = this.#growUntilKilled(node)
      await sleep(delay)
      const { signal } = await node.stop('SIGKILL')
      await growing
      if (signal !== 'SIGKILL') throw new Error(`the node ended by itself:\n${node.output()}`)
      const check = await runCommand([
        'check',
        '--full',
        '--data-dir',
        this.#dataDir,
        '--log-level',
        'silent',
      ])
      if (check.code !== 0) throw new Error(`check --full: ${check.stdout}${check.stderr}`)
      return found
    } finally {
      await node.stop('SIGKILL')
    }
  }

  /** Blocks with a transaction each. @returns the height then */
  async #grow(node: NodeProcess): Promise<number> {
    const address = toHex(COW.address)
    const nonce = BigInt(await node.request<string>('eth_getTransactionCount', [address, 'pending']))
    for (let index = 0n; index < BATCH; index += 1n) {
      const { encoded } = signedTransaction({ nonce: nonce + index, value: 1n })
      await node.request('eth_sendRawTransaction', [toHex(encoded)])
    }
    const height = Number(await node.request<string>('eth_blockNumber'))
    const numbers = Array.from({ length: BATCH }, (_, index) => height - index).filter((number) => number > 0)
    const balances = await this.#balances(node, numbers)
    numbers.forEach((number, index) => {
      const balance = balances[index]
      if (typeof balance === 'string') this.#shown.set(number, balance)
    })
    return height
  }

  async #growUntilKilled(node: NodeProcess): Promise<void> {
    try {
      for (;;) await this.#grow(node)
    } catch (error) {
      if (error instanceof JsonRpcError) throw error
      // The connection ended with the node.
    }
  }

  async #verify(node: NodeProcess): Promise<{ height: number; firstValues: number; firstState: number }> {
    const { head, state, stateproofs } = await node.request<Capabilities>('eth_capabilities')
    const height = Number(head.number)
    const firstValues = Number(state.oldestBlock)
    const firstState = Number(stateproofs.oldestBlock)
    const isRight = firstValues <= firstState && firstState <= Math.max(0, height - KEPT)
    if (!isRight) throw new Error(`values from ${firstValues}, tries from ${firstState}, head ${height}`)
    // What was shown last may not have been durable.
    const numbers = [...this.#shown.keys()].filter((number) => number <= height).sort((a, b) => a - b)
    for (let begin = 0; begin < numbers.length; begin += 100) {
      const part = numbers.slice(begin, begin + 100)
      const balances = await this.#balances(node, part)
      part.forEach((number, index) => {
        const found = balances[index]
        const isKept = number >= firstValues
        if (isKept ? found !== this.#shown.get(number) : found !== NOT_KEPT)
          throw new Error(
            `block ${number} of ${firstValues} to ${height}: ${found}, not ${this.#shown.get(number)}`,
          )
      })
    }
    return { height, firstValues, firstState }
  }

  /** Balances at blocks; the code of the error where a node answers with one. */
  async #balances(node: NodeProcess, numbers: readonly number[]): Promise<readonly (string | number)[]> {
    const ask = (number: number) =>
      ['eth_getBalance', [toHex(STRANGER.address), `0x${number.toString(16)}`]] as const
    try {
      return (await askBatch(node.url, numbers.map(ask))) as readonly string[]
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error
    }
    const found: (string | number)[] = []
    for (const number of numbers) {
      const [method, params] = ask(number)
      try {
        found.push(await node.request<string>(method, params))
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error
        found.push(error.code)
      }
    }
    return found
  }
}
