import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../src/util/bytes.ts'
import { BitcoinPool } from '../support/bitcoinPool.ts'
import { JsonRpcError } from '../support/nodeProcess.ts'
import {
  asciiHex,
  bytesOf,
  type PoolWork,
  type SubmitForm,
  type SubmitResult,
  submission,
} from '../support/poolNode.ts'
import { accountOfSeed, signedTransaction, type TestAccount } from '../support/signedTransaction.ts'
import type { Acknowledged } from './acknowledged.ts'
import { UsageFault } from './acknowledgedAccess.ts'
import type { KeyLoad } from './keyLoad.ts'
import type { PeerMiner } from './peerMiner.ts'

/** Method and parameters. */
export type Ask = readonly [method: string, params: readonly unknown[]]

/** How a node is reached. */
export interface LoadTarget {
  request<T>(method: string, params?: readonly unknown[]): Promise<T>
  readonly url: string
}

export interface LoadOptions {
  readonly node: LoadTarget
  readonly acknowledged: Acknowledged
  readonly peer: PeerMiner
  readonly keys: KeyLoad
  readonly random: () => number
}

const SENDERS = 4
const READERS = 2
/** Transactions that one sender offers at once. */
const BURST = 3
const PAUSE_MS = 4
const FORMS: readonly SubmitForm[] = ['block', 'transactions', 'partialMerkle']
/** Codes by which a node refuses what came at the wrong time: the pool is full, the work is old. */
const REFUSALS: ReadonlySet<number> = new Set([-32010, -32000, -33000])

/** Everything at once against one node: sends, reads, solutions of pools, blocks of another node, keys and their use. */
export class NodeLoad {
  readonly #options: LoadOptions
  readonly #tasks: readonly Promise<void>[]
  readonly #pool: BitcoinPool
  #stopped = false
  /** Answers that no healthy node gives. */
  readonly faults: string[] = []

  constructor(options: LoadOptions) {
    this.#options = options
    this.#pool = new BitcoinPool('/faults/', options.random)
    const senders = Array.from({ length: SENDERS }, (_, index) =>
      accountOfSeed(index === 0 ? 'cow' : `cow${index}`),
    )
    this.#tasks = [
      ...senders.map((account) => this.#repeat(() => this.#send(account))),
      ...Array.from({ length: READERS }, () => this.#repeat(() => this.#read())),
      this.#repeat(() => this.#solve()),
      this.#repeat(() => this.#importBlock()),
      this.#repeat(() => options.keys.use(new URL(options.node.url).origin, () => this.#stopped)),
    ]
  }

  /** Ends it and waits for what is under way; to be called before the node is killed or right after. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#tasks)
  }

  /** To be called before the kill: connections that break from then on are no faults. */
  get tasks(): readonly Promise<void>[] {
    return this.#tasks
  }

  async #repeat(action: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      try {
        await action()
      } catch (error) {
        if (error instanceof JsonRpcError) {
          if (!REFUSALS.has(error.code)) this.faults.push(`${error.code} ${error.message}`)
        } else if (error instanceof UsageFault) {
          this.faults.push(error.message)
        } else if (isConnectionError(error)) {
          return
        } else throw error
      }
      await sleep(PAUSE_MS)
    }
  }

  async #send(from: TestAccount): Promise<void> {
    const { node, acknowledged } = this.#options
    const nonce = BigInt(
      await node.request<string>('eth_getTransactionCount', [toHex(from.address), 'pending']),
    )
    for (let offset = 0n; offset < BURST && !this.#stopped; offset += 1n) {
      const transaction = signedTransaction({ from, nonce: nonce + offset })
      acknowledged.transactions.add(
        await node.request<string>('eth_sendRawTransaction', [toHex(transaction.encoded)]),
      )
    }
  }

  async #read(): Promise<void> {
    const { node, acknowledged, random } = this.#options
    const hash = acknowledged.anyTransaction(random)
    const head = await node.request<string>('eth_blockNumber')
    const asks: Ask[] = [
      ['eth_getBlockByNumber', [head, true]],
      ['eth_getBalance', [toHex(accountOfSeed('cow').address), 'latest']],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
      ['eth_call', [{ to: toHex(accountOfSeed('cow1').address) }, 'latest']],
      ...(hash === undefined ? [] : ([['eth_getTransactionReceipt', [hash]]] as const)),
    ]
    const ask = asks[Math.floor(random() * asks.length)]
    if (ask !== undefined) await node.request(...ask)
  }

  async #solve(): Promise<void> {
    const { node, acknowledged, random } = this.#options
    const work = await node.request<PoolWork>('mnr_getWork')
    const solved = this.#pool.mine(bytesOf(work.blockHashForMergedMining), BigInt(work.target), 3)
    const form = FORMS[Math.floor(random() * FORMS.length)] ?? 'block'
    const result = await node.request<SubmitResult>(...submission(form, solved))
    const words = ['IMPORTED_BEST', 'IMPORTED_NOT_BEST', 'EXIST'].map(asciiHex)
    if (words.includes(result.blockImportedResult)) acknowledged.blocks.add(result.blockHash)
  }

  async #importBlock(): Promise<void> {
    const { node, acknowledged, peer } = this.#options
    for (const hash of await peer.give(node)) acknowledged.blocks.add(hash)
  }
}

/** What a client sees of a node that was killed. */
function isConnectionError(error: unknown): boolean {
  // fetch throws TypeError when the connection fails, and SyntaxError stands for a body that was cut off.
  return error instanceof TypeError || error instanceof SyntaxError || (error as Error).name === 'AbortError'
}
