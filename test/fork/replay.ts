import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { parseReceipt, type Receipt } from '../../src/chain/codec/receipt.ts'
import { chosenNetwork, type NetworkChoice } from '../../src/config/networks/configured.ts'
import { toBlockEnvironment } from '../../src/execution/blockEnvironment.ts'
import { toExecutable } from '../../src/execution/executableTransaction.ts'
import { findForkBase, forkAncestor, forkBlock } from '../../src/fork/forkBase.ts'
import type { ForkThreadMessage, ForkThreadSetup } from '../../src/fork/forkThread.ts'
import { SharedStats } from '../../src/fork/sharedStats.ts'
import { Upstream } from '../../src/fork/upstream.ts'
import { UpstreamAddresses } from '../../src/fork/upstreamAddresses.ts'
import { fetchWholeBlock } from '../../src/fork/wholeBlock.ts'
import { executeBlock } from '../../src/native/blockExecution.ts'
import { createNativeChainSpec } from '../../src/native/chainSpec.ts'
import { StateStore } from '../../src/native/stateStore.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { bytesToBigInt, toHex } from '../../src/util/bytes.ts'
import { workerEntry, workerOptions } from '../../src/util/entry.ts'

/** A block that was executed on a fork of its parent, or of an earlier block. */
export interface ReplayedBlock {
  readonly number: number
  readonly transactions: number
  readonly uncles: number
  readonly logs: number
  /** What differs from the header that the upstream has; empty where nothing does. */
  readonly differences: readonly string[]
}

/** Blocks that were executed above one fork, and what that took. */
export interface Replay {
  readonly blocks: readonly ReplayedBlock[]
  /** Requests to the upstream for state and old blocks, after the start. */
  readonly requests: number
}

/**
 * Forks a network at the parent of a block, and executes the block whole, with what follows it: each header commits to
 * receipts, logs, gas and fees, which are compared. The state root is another one on a fork.
 */
export async function replayBlocks(url: string, first: number, count: number): Promise<Replay> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-fork-'))
  const stats = new SharedStats()
  const upstream = new Upstream([url], stats)
  const base = await findForkBase(upstream, String(first - 1))
  const choice: NetworkChoice = {
    network: base.network,
    activationHeights: null,
    fork: { number: base.number },
  }
  const setup: ForkThreadSetup = {
    choice,
    base,
    addresses: new UpstreamAddresses([url]).buffer,
    stateFolder: join(folder, 'state'),
    storeOptions: {},
    answersFolder: join(folder, 'answers'),
    answersBytes: 64 * 2 ** 20,
    cacheBytes: 64 * 2 ** 20,
    patience: 30_000,
    offline: false,
    stats: stats.buffer,
  }
  const moduleUrl = new URL('../../src/fork/replay.ts', import.meta.url).href
  const worker = new Worker(workerEntry('./forkThread.ts', moduleUrl), {
    workerData: setup,
    ...workerOptions(moduleUrl),
  })
  try {
    await told(worker, 'ready')
    const before = stats.get('requests')
    const blocks: ReplayedBlock[] = []
    const store = StateStore.open(setup.stateFolder, {})
    const spec = chosenNetwork(choice)
    const nativeSpec = createNativeChainSpec(spec)
    const start = forkBlock(spec, base)
    store.putAncestor(forkAncestor(start))
    let { totalDifficulty } = start
    let root = stateRootAfter(spec, store, start.header)
    for (let number = first; number < first + count; number += 1) {
      const block = await fetchWholeBlock(upstream, spec, number)
      const transactions = block.transactions.map((transaction, index) => {
        const executable = toExecutable(transaction, block.senders[index] as Buffer, spec.chainId)
        if (executable === null) throw new Error('a transaction cannot execute')
        return executable
      })
      const { fields } = block.header
      const result = executeBlock(nativeSpec, store, {
        parentRoot: root,
        environment: toBlockEnvironment(fields),
        transactions,
        ...(fields.edges === null ? {} : { edges: [...fields.edges] }),
        systemContractsInParallel: false,
      })
      const found: [string, string, string][] = [
        ['receipts', toHex(fields.receiptTrieRoot), toHex(result.receiptsRoot)],
        ['bloom', toHex(fields.logsBloom ?? Buffer.alloc(0)), toHex(result.logsBloom)],
        ['gas', String(fields.gasUsed), String(result.gasUsed)],
        ['fees', String(fields.paidFees), String(bytesToBigInt(result.paidFees))],
      ]
      const receipts: Receipt[] = result.receipts.map((receipt) => parseReceipt(receipt))
      blocks.push({
        number,
        transactions: block.transactions.length,
        uncles: block.uncles.length,
        logs: receipts.reduce((sum, { logs }) => sum + logs.length, 0),
        differences: found.filter(([, a, b]) => a !== b).map(([name, a, b]) => `${name}: ${a}, here ${b}`),
      })
      result.keep()
      root = Buffer.from(result.stateRoot)
      totalDifficulty += block.cumulativeDifficulty
      store.putAncestor(forkAncestor({ header: block.header, totalDifficulty, uncles: block.uncles }))
    }
    return { blocks, requests: stats.get('requests') - before }
  } finally {
    worker.postMessage({ kind: 'close' })
    await told(worker, 'closed').catch(() => undefined)
    await worker.terminate()
    rmSync(folder, { recursive: true, force: true })
  }
}

function told(worker: Worker, kind: ForkThreadMessage['kind']): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: ForkThreadMessage) => {
      worker.off('error', reject)
      if (message.kind === kind) resolve()
      else reject(new Error(message.kind === 'failed' ? message.message : message.kind))
    })
  })
}
