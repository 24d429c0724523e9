import type { Test } from 'tap'
import type { PartialConfig } from '../../src/config/schema.ts'
import type { LocalNode } from '../../src/node/localNode.ts'
import { createLocalService, type LocalService } from './ask.ts'
import { blockHex, type MinedBitcoinBlock, merkleHashes, transactionHashes } from './bitcoinPool.ts'
import { type LocalNodeFixture, openLocalNode } from './localNode.ts'

/** An answer of the node: one of the two. */
export interface PoolAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Work as a pool reads it. */
export interface PoolWork {
  readonly blockHashForMergedMining: string
  readonly target: string
  readonly feesPaidToMiner: string
  readonly notify: boolean
  readonly parentBlockHash: string
}

/** Result of an accepted solution. */
export interface SubmitResult {
  readonly blockImportedResult: string
  readonly blockHash: string
  readonly blockIncludedHeight: string
}

/** A node that pools mine on, asked through its gateway. */
export interface PoolNode extends LocalNode {
  ask(method: string, params?: readonly unknown[]): Promise<PoolAnswer>
  work(): Promise<PoolWork>
  /** Failures that no method expects. */
  readonly unexpected: readonly string[]
}

/** The three calls by which pools send solutions. */
export type SubmitForm = 'block' | 'transactions' | 'partialMerkle'

const INTERRUPTS = 1024

/** A regtest node that makes no blocks by itself. */
export function openPoolNode(t: Test, config: PartialConfig = {}, fixture: LocalNodeFixture = {}): PoolNode {
  let service: LocalService | null = null
  const listener = { ...fixture.listener, onHead: () => service?.gateway.onChange() }
  const settings = { dataDir: t.testdir(), mining: false, ...config }
  const node = openLocalNode(t, settings, { ...fixture, listener })
  const unexpected: string[] = []
  // One place per request that runs at the same time.
  const interrupt = { flags: new Int32Array(INTERRUPTS), slot: 0 }
  service = createLocalService(
    { ...node.context, interrupt },
    {
      onUnexpected: (method, error) => unexpected.push(`${method}: ${String(error)}`),
    },
  )
  const { ask: send, close } = service
  t.teardown(close)
  const ask = async (method: string, params: readonly unknown[] = []) => {
    const { text } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(text) as PoolAnswer
  }
  return { ...node, unexpected, ask, work: async () => (await ask('mnr_getWork')).result as PoolWork }
}

/** Method and parameters that submit a block in a form. */
export function submission(form: SubmitForm, block: MinedBitcoinBlock): [string, string[]] {
  const header = block.header.toString('hex')
  const coinbase = block.coinbase.toString('hex')
  switch (form) {
    case 'block':
      return ['mnr_submitBitcoinBlock', [blockHex(block)]]
    case 'transactions':
      return ['mnr_submitBitcoinBlockTransactions', ['ignored', header, coinbase, transactionHashes(block)]]
    case 'partialMerkle': {
      const count = block.ids.length.toString(16)
      return [
        'mnr_submitBitcoinBlockPartialMerkle',
        ['ignored', header, coinbase, merkleHashes(block), count],
      ]
    }
  }
}

/** A word as the answers carry it. */
export function asciiHex(word: string): string {
  return `0x${Buffer.from(word, 'latin1').toString('hex')}`
}

/** Bytes of `0x` hex. */
export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
