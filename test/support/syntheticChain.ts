import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ChainStoreReader } from '../../src/chain/chainStoreReader.ts'
import { type HeadChange, moveHead, writeBlock } from '../../src/chain/chainWriter.ts'
import { Block } from '../../src/chain/codec/block.ts'
import { BlockHeader } from '../../src/chain/codec/header.ts'
import { createLogsBloom } from '../../src/chain/codec/logsBloom.ts'
import { encodeReceipt, type Log } from '../../src/chain/codec/receipt.ts'
import { encodeList, RLP_EMPTY_LIST } from '../../src/chain/codec/rlpWriter.ts'
import { Transaction } from '../../src/chain/codec/transaction.ts'
import { genesisHeader } from '../../src/chain/genesis.ts'
import { setCanonical } from '../../src/chain/tables/heights.ts'
import { writeHead, writeIdentity } from '../../src/chain/tables/metadata.ts'
import { createNetworkSpec, type NetworkSpec } from '../../src/config/networkSpec.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import type { Interrupt, NodeContext, RpcSettings } from '../../src/rpc/context.ts'
import { StoredChain } from '../../src/rpc/node/storedChain.ts'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'
import { createChainContext, TEST_SETTINGS } from './chainContext.ts'

const EMPTY = Buffer.alloc(0)

/** Logs of a block by transaction. */
export type BlockLogs = readonly (readonly Log[])[]

/**
 * A chain store whose blocks hold whatever logs a test wants. Nothing is executed or judged: what is tested
 * is what is stored and found again.
 */
export class SyntheticChain {
  readonly spec: NetworkSpec
  readonly path: string
  readonly environment: ChainEnvironment
  readonly reader: ChainStoreReader
  readonly genesis: Block
  #head: BlockHeader
  #made = 0

  constructor(t: Test) {
    const folder = mkdtempSync(join(tmpdir(), 'rhizome-synthetic-'))
    this.path = join(folder, 'store')
    this.spec = syntheticSpec()
    this.environment = new ChainEnvironment(this.path)
    this.reader = new ChainStoreReader(this.spec, this.environment)
    this.genesis = new Block(genesisHeader(this.spec, Buffer.alloc(32, 1)), [], [])
    this.#head = this.genesis.header
    this.environment.transaction((writer) => {
      writeBlock(writer, this.genesis, { receipts: RLP_EMPTY_LIST, totalDifficulty: 1n })
      setCanonical(writer, 0, this.genesis.hash)
      writeHead(writer, this.genesis.hash)
      writeIdentity(writer, this.genesis.hash)
    })
    t.teardown(async () => {
      await this.environment.close()
      rmSync(folder, { recursive: true })
    })
  }

  /** Stores blocks on a parent, beside the canonical chain, in one transaction. */
  extend(parent: Block, blocks: readonly BlockLogs[]): Block[] {
    return this.environment.transaction((writer) => {
      const made: Block[] = []
      let tip = parent
      for (const logs of blocks) {
        tip = this.#makeBlock(tip, logs)
        const receipts = logs.map((own) =>
          encodeReceipt({
            success: true,
            cumulativeGasUsed: 21_000n,
            gasUsed: 21_000n,
            logsBloom: createLogsBloom(own),
            logs: own,
          }),
        )
        writeBlock(writer, tip, { receipts: encodeList(receipts), totalDifficulty: BigInt(tip.number) })
        made.push(tip)
      }
      return made
    })
  }

  /** Makes a stored block the head. */
  moveHead(block: Block): HeadChange {
    const change = this.environment.transaction((writer) =>
      moveHead(writer, this.reader, this.#head, block.header),
    )
    this.#head = block.header
    return change
  }

  /** Extends the canonical chain. */
  append(blocks: readonly BlockLogs[]): Block[] {
    const head = this.reader.blockByHash(this.#head.hash)
    if (head === null) throw new Error('no head')
    const made = this.extend(head, blocks)
    const tip = made.at(-1)
    if (tip !== undefined) this.moveHead(tip)
    return made
  }

  /** A context over the store. */
  context(settings: Partial<RpcSettings> = {}): NodeContext {
    return createStoreContext(this.spec, this.environment, settings)
  }

  #makeBlock(parent: Block, logs: BlockLogs): Block {
    this.#made += 1
    const transactions = logs.map(
      (_, index) =>
        new Transaction({
          nonceBytes: Buffer.from(`${this.#made}.${index}`),
          gasPrice: 1n,
          gasLimitBytes: Buffer.from([0x52, 0x08]),
          to: Buffer.alloc(20, 3),
          value: 1n,
          data: EMPTY,
          chainId: 0,
          signature: null,
        }),
    )
    const header = new BlockHeader({
      ...parent.header.fields,
      parentHash: parent.hash,
      number: parent.number + 1,
      timestamp: parent.header.fields.timestamp + 30n,
      extraData: Buffer.from(`${this.#made}`),
      logsBloom: createLogsBloom(logs.flat()),
      gasUsed: 21_000n * BigInt(logs.length),
      difficultyBytes: Buffer.from([1]),
      bitcoinMergedMiningHeader: EMPTY,
      bitcoinMergedMiningMerkleProof: EMPTY,
      bitcoinMergedMiningCoinbaseTransaction: EMPTY,
    })
    return new Block(header, transactions, [])
  }
}

/** Options of {@link openNodeContext}. */
export interface SyntheticContextOptions {
  readonly path: string
  readonly settings?: Partial<RpcSettings>
  /** While this file exists, a worker that reads logs dies. */
  readonly deadly?: string
}

/** Entry for pool workers: the same store. */
export function openNodeContext(options: unknown, interrupt: Interrupt): NodeContext {
  const { path, settings = {}, deadly } = options as SyntheticContextOptions
  const context = createStoreContext(syntheticSpec(), new ChainEnvironment(path), settings, interrupt)
  if (deadly === undefined) return context
  const { chain } = context
  const copyStored = chain.copyStored.bind(chain)
  chain.copyStored = (...args) => (existsSync(deadly) ? process.exit(1) : copyStored(...args))
  return context
}

function createStoreContext(
  spec: NetworkSpec,
  environment: ChainEnvironment,
  settings: Partial<RpcSettings>,
  interrupt?: Interrupt,
): NodeContext {
  const chain = new StoredChain(spec, environment)
  const context = createChainContext(chain, interrupt)
  return {
    ...context,
    node: { ...context.node, settings: { ...TEST_SETTINGS, ...settings } },
    refresh: () => chain.refresh(),
    release: () => chain.release(),
  }
}

/** Headers of the oldest form: nothing in them is of interest here. */
function syntheticSpec(): NetworkSpec {
  return createNetworkSpec(networkByName('regtest'), {
    activationHeights: { rskip351: -1, rskipUMM: -1, rskip110: -1, rskip535: -1, rskip144: -1 },
  })
}

/** An address of 20 equal bytes. */
export function testAddress(index: number): Buffer {
  return Buffer.alloc(20, index)
}

/** A topic of 32 bytes that holds a number. */
export function testTopic(index: number): Buffer {
  const topic = Buffer.alloc(32)
  topic.writeUInt32BE(index, 28)
  return topic
}

/** A log of a test. */
export function testLog(address: number, topics: readonly number[] = [], data = ''): Log {
  return { address: testAddress(address), topics: topics.map(testTopic), data: Buffer.from(data, 'hex') }
}
