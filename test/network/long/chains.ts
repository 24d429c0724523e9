import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Test } from 'tap'
import { WORK_FOLDER } from '../../../bench/report/results.ts'
import { Block, parseBlock } from '../../../src/chain/codec/block.ts'
import { readForkDetectionData } from '../../../src/chain/codec/mergedMiningHash.ts'
import { openChain } from '../../../src/execution/openChain.ts'
import { sealInProcess } from '../../../src/mining/seal.ts'
import { EMPTY_BYTES } from '../../../src/util/bytes.ts'
import { BlockMaker, spoil } from '../../support/blockMaker.ts'
import { WEIGHTY } from '../../support/syncScene.ts'

/** Of the chains that attackers tell of, RLP of each block. */
export interface Chains {
  /** From genesis on; the honest node has the first `known` of them at the start and gets the others one by one. */
  readonly honest: readonly Uint8Array[]
  readonly known: number
  /** By the honest block that each stands on: right but for its proof of work, and right but for its state root. */
  readonly wrongWork: readonly (Uint8Array | null)[]
  readonly wrongRoot: readonly (Uint8Array | null)[]
  /** On block 1, right in all and of falling difficulty: lighter than the chain. */
  readonly cheap: readonly Uint8Array[]
  /** On the last known block and heavier than all that the honest node will have: nobody gives their bodies. */
  readonly hollow: readonly Uint8Array[]
}

const NONCE_AT = 76
const CHEAP_INTERVAL = 10_000
const MAX_CHEAP = 2000
const COMMIT = 200

/** A chain of so many blocks and more to come, made once and kept among what can be made again. */
export function openChains(known: number, growth: number, folder: string): Chains {
  mkdirSync(WORK_FOLDER, { recursive: true })
  const file = join(WORK_FOLDER, `network-${known}-${growth}.bin`)
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, serialize(makeChains(known, growth, folder)))
    renameSync(`${file}.new`, file)
  }
  return readChains(file)
}

export function chainsFile(known: number, growth: number): string {
  return join(WORK_FOLDER, `network-${known}-${growth}.bin`)
}

export function readChains(file: string): Chains {
  return deserialize(readFileSync(file)) as Chains
}

export function toBlock(encoded: Uint8Array): Block {
  return parseBlock(WEIGHTY, Buffer.from(encoded))
}

function makeChains(known: number, growth: number, folder: string): Chains {
  const ends: (() => unknown)[] = []
  // Of a test a maker of blocks needs no more than a folder and an end.
  const scope = {
    teardown: (end: () => unknown) => void ends.push(end),
    testdirName: folder,
  } as unknown as Test
  const maker = new BlockMaker(scope, WEIGHTY)
  const honest: Block[] = [maker.genesis]
  const tip = () => honest.at(-1) as Block
  const wrongWork: (Uint8Array | null)[] = []
  const wrongRoot: (Uint8Array | null)[] = []
  while (honest.length < known) honest.push(...maker.extend(tip(), Math.min(COMMIT, known - honest.length)))
  for (let count = 0; count <= growth; count += 1) {
    const [other] = maker.extend(tip(), 1, { label: 'other' })
    wrongWork[tip().number] = withoutWork(other as Block).encoded
    wrongRoot[tip().number] = withOtherRoot(other as Block).encoded
    if (count < growth) honest.push(...maker.extend(tip(), 1))
  }
  const cheap = maker.extend(honest[1] as Block, Math.min(known >> 2, MAX_CHEAP), {
    interval: CHEAP_INTERVAL,
  })
  const hollow = maker.extend(honest[known - 1] as Block, growth + 64, { label: 'hollow' })
  for (const end of ends) void end()
  const bytes = (blocks: readonly Block[]) => blocks.map(({ encoded }) => encoded)
  return { honest: bytes(honest), known, wrongWork, wrongRoot, cheap: bytes(cheap), hollow: bytes(hollow) }
}

/** The block with a Bitcoin header whose nonce was not searched. */
function withoutWork(block: Block): Block {
  const bitcoinMergedMiningHeader = Buffer.from(block.header.fields.bitcoinMergedMiningHeader)
  bitcoinMergedMiningHeader.writeUInt32LE(0xfeedface, NONCE_AT)
  return spoil(block, { bitcoinMergedMiningHeader })
}

function withOtherRoot({ header, transactions }: Block): Block {
  const changed = header.with({
    stateRoot: Buffer.alloc(32, 7),
    // What its work commits to goes on with the block, the work does not.
    forkDetectionData: readForkDetectionData(header),
    bitcoinMergedMiningHeader: EMPTY_BYTES,
    bitcoinMergedMiningMerkleProof: EMPTY_BYTES,
    bitcoinMergedMiningCoinbaseTransaction: EMPTY_BYTES,
  })
  return sealInProcess(new Block(changed, transactions, []))
}

/** A data directory with the blocks that are known at the start. */
export async function fillDirectory(dataDir: string, { honest, known }: Chains): Promise<void> {
  const open = openChain({ spec: WEIGHTY, dataDir })
  for (let at = 1; at < known; at += COMMIT)
    open.chain.connectAll(honest.slice(at, Math.min(known, at + COMMIT)).map(toBlock))
  await open.close()
}
