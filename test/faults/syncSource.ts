import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/util/bytes.ts'
import { freePort, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'

/** Most milliseconds between two additions to the chain. */
const PAUSE_MS = 400
/** Parts of the additions that are reorganisations, and many blocks at once. */
const REORGANISATIONS = 0.1
const MANY = 0.1
const MAX_AT_ONCE = 12
const DEEPEST = 4
const GAS_PRICE = 1_000_000_000n

/** A node that others synchronise from, whose chain grows while it is told to. */
export class SyncSource {
  /** Where it listens. */
  readonly enode: string
  readonly #node: NodeProcess
  readonly #random: () => number
  #nonce = 0n
  #growing: Promise<void> | null = null
  #isResting = false

  private constructor(node: NodeProcess, enode: string, random: () => number) {
    this.#node = node
    this.enode = enode
    this.#random = random
  }

  static async start(dataDir: string, random: () => number): Promise<SyncSource> {
    const port = await freePort()
    const peers = ['--peers', '--p2p-host', '127.0.0.1', '--p2p-port', String(port)]
    const args = [...peers, '--no-mining', '--no-page', '--workers', '1', '--log-level', 'error']
    const node = await startNode({ dataDir, args })
    const { enode } = await node.request<{ enode: string }>('admin_nodeInfo')
    return new SyncSource(node, enode, random)
  }

  async mine(blocks: number): Promise<void> {
    await this.#node.request('hardhat_mine', [`0x${blocks.toString(16)}`])
  }

  head(): Promise<{ readonly number: string; readonly hash: string }> {
    return this.#node.request('eth_getBlockByNumber', ['latest', false])
  }

  async height(): Promise<number> {
    return Number((await this.head()).number)
  }

  /** Begins to add to the chain. */
  grow(): void {
    this.#isResting = false
    this.#growing = this.#grow()
  }

  /** Ends that. @throws Error of what it could not add */
  async rest(): Promise<void> {
    this.#isResting = true
    await this.#growing
    this.#growing = null
  }

  async close(): Promise<void> {
    await this.rest().catch(() => undefined)
    await this.#node.stop('SIGKILL')
  }

  async #grow(): Promise<void> {
    while (!this.#isResting) {
      const choice = this.#random()
      if (choice < REORGANISATIONS) await this.#reorganise(1 + Math.floor(this.#random() * DEEPEST))
      else if (choice < REORGANISATIONS + MANY) await this.mine(1 + Math.floor(this.#random() * MAX_AT_ONCE))
      else await this.#mineTransaction()
      await sleep(this.#random() * PAUSE_MS)
    }
  }

  async #mineTransaction(): Promise<void> {
    const transaction = signedTransaction({ from: COW, nonce: this.#nonce, gasPrice: GAS_PRICE })
    await this.#node.request('eth_sendRawTransaction', [toHex(transaction.encoded)])
    this.#nonce += 1n
    await this.mine(1)
  }

  /** Takes blocks back that others have by then, and makes one more of later times. */
  async #reorganise(depth: number): Promise<void> {
    const snapshot = await this.#node.request<string>('evm_snapshot')
    await this.mine(depth)
    await sleep(this.#random() * PAUSE_MS)
    await this.#node.request('evm_revert', [snapshot])
    await this.#node.request('evm_increaseTime', [1])
    await this.mine(depth + 1)
  }
}
