import { createHash, type Hash } from 'node:crypto'
import { cpSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkChain } from '../../src/chain/check/checkChain.ts'
import { importBlocks } from '../../src/chain/import/importBlocks.ts'
import { logTermsOf } from '../../src/chain/logs/logTerms.ts'
import { findLogHeights } from '../../src/chain/tables/logIndex.ts'
import { ANY_LOG } from '../../src/chain/tables/logTerm.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import { type OpenChain, openChain } from '../../src/execution/openChain.ts'
import { createStateChecker } from '../../src/execution/stateChecker.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { createRandom } from '../support/random.ts'
import { flipBit } from './damage.ts'

export interface FlipOptions {
  readonly spec: NetworkSpec
  /** File of blocks that the stores are filled with. */
  readonly blocks: string
  /** Folder to work in. */
  readonly folder: string
  /** Bits to turn over in each store's file, one at a time. */
  readonly flips: number
  readonly seed: number
}

/** What bits that were turned over came to. */
export interface FlipReport {
  /** The store was refused before a block was read. */
  refused: number
  /** `check --full` found it. */
  found: number
  /** The bit is in no use: the check is clean and every answer the same. */
  harmless: number
  /** The check is clean and an answer another: which file, byte and bit. */
  readonly missed: string[]
}

const FILES = ['chain/data.mdb', 'state/data.mdb']
const STATE_BLOCKS = 1_000_000

/** Turns over random bits of both stores' files, each in a copy of its own, and judges what it comes to. */
export async function flipBits({ spec, blocks, folder, flips, seed }: FlipOptions): Promise<FlipReport> {
  const random = createRandom(seed)
  const whole = join(folder, 'whole')
  const made = openChain({ spec, dataDir: whole })
  await importBlocks({ path: blocks, spec, chain: made.chain, commitEvery: 16 })
  const answers = answersOf(spec, made)
  await made.close()
  const report: FlipReport = { refused: 0, found: 0, harmless: 0, missed: [] }
  for (const file of FILES) {
    const { size } = statSync(join(whole, file))
    for (let flip = 0; flip < flips; flip += 1) {
      const at = Math.floor(random() * size)
      const bit = Math.floor(random() * 8)
      // A store stays open in a process for a while: each has a folder of its own.
      const copy = join(folder, `${file.slice(0, 5)}-${flip}`)
      cpSync(whole, copy, { recursive: true })
      flipBit(join(copy, file), at, bit)
      const outcome = await judge(spec, copy, answers)
      if (outcome === 'missed') report.missed.push(`${file}, byte ${at}, bit ${bit}`)
      else report[outcome] += 1
      rmSync(copy, { recursive: true, force: true })
    }
  }
  return report
}

async function judge(spec: NetworkSpec, dataDir: string, answers: string) {
  let opened: OpenChain
  try {
    opened = openChain({ spec, dataDir, checksPages: true })
  } catch {
    return 'refused'
  }
  try {
    const { environment, stateStore } = opened
    const { problems } = checkChain({
      spec,
      environment,
      states: createStateChecker(spec, stateStore),
      stateBlocks: STATE_BLOCKS,
      full: true,
    })
    if (problems.length > 0) return 'found'
    return answersOf(spec, opened) === answers ? 'harmless' : 'missed'
  } finally {
    await opened.close()
  }
}

/** Digest of everything that is answered from the stores: blocks, where they are, their logs, states of accounts. */
function answersOf(spec: NetworkSpec, { chain, environment, stateStore }: OpenChain): string {
  const hash = createHash('sha256')
  for (let number = 0; number <= chain.head.number; number += 1) {
    const block = chain.reader.blockByNumber(number)
    if (block === null) return `no block ${number}`
    hash.update(block.hash).update(block.encoded)
    for (const sender of block.senders) hash.update(sender ?? '-')
    const receipts = chain.reader.storedReceipts(block)
    hash.update(receipts ?? '-')
    hash.update(JSON.stringify(block.transactions.map((one) => chain.reader.locateTransaction(one.hash))))
    for (const term of receipts === null ? [] : logTermsOf(receipts))
      hash.update(JSON.stringify([...findLogHeights(environment, [[term]], 0, chain.head.number)]))
    const root = stateRootAfter(spec, stateStore, block.header)
    for (const account of [block.header.fields.coinbase, ...block.senders])
      addAccount(hash, stateStore, root, account)
  }
  hash.update(JSON.stringify([...findLogHeights(environment, [[ANY_LOG]], 0, chain.head.number)]))
  return hash.digest('hex')
}

function addAccount(hash: Hash, store: OpenChain['stateStore'], root: Buffer, address: Buffer | null): void {
  if (address?.length !== 20) return
  hash.update(JSON.stringify(store.account(root, address)) ?? '-').update(store.code(root, address))
}
