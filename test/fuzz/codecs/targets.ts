import { strict as assert } from 'node:assert'
import { parseBlock, parseBlockUnchecked } from '../../../src/chain/codec/block.ts'
import { CodecError } from '../../../src/chain/codec/errors.ts'
import { parseHeader } from '../../../src/chain/codec/headerDecoder.ts'
import { encodeReceipt, parseReceipt } from '../../../src/chain/codec/receipt.ts'
import { RlpError } from '../../../src/chain/codec/rlpReader.ts'
import type { Transaction } from '../../../src/chain/codec/transaction.ts'
import { parseTransaction } from '../../../src/chain/codec/transactionDecoder.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { BodyReaders } from '../../support/oracle/nativeBody.ts'
import { readVectorLines } from '../../support/vectors.ts'
import type { Chance } from '../chance.ts'
import { mutatedText } from '../mutateJson.ts'
import { mutatedBytes, mutatedRlp } from './mutateBytes.ts'
import { SNAPSHOT_TARGETS } from './snapshotTargets.ts'

/** Requests of a batch. */
const MAX_REQUESTS = 50

/** Something that reads bytes of strangers. */
export interface FuzzTarget {
  /** Bytes that it takes, from which others are made. */
  readonly seeds: readonly Buffer[]
  readonly mutate: (chance: Chance, seed: Buffer, seeds: readonly Buffer[]) => Buffer
  /**
   * Whether the bytes were taken.
   * @throws whatever is thrown that a reader may not throw, and when what was read is not what was written
   */
  readonly check: (bytes: Buffer) => boolean
}

const REGTEST = networkByName('regtest')
const MAIN = networkByName('main')
const BLOCKS = 200

/** The targets by their names; their seeds come from the recorded vectors. */
export const FUZZ_TARGETS: Readonly<Record<string, () => FuzzTarget>> = {
  header: () => ({
    seeds: recordedBlocks().map((block) => parseBlockUnchecked(REGTEST, block).header.encodedFull),
    mutate: mutatedCodec,
    check: (bytes) =>
      [REGTEST, MAIN].some((spec) =>
        refusedOr(() => {
          const header = parseHeader(spec, bytes)
          const again = parseHeader(spec, header.encodedFull)
          assert.deepEqual(again.encodedFull, header.encodedFull)
          assert.deepEqual(again.hash, header.hash)
        }),
      ),
  }),
  block: () => ({
    seeds: recordedBlocks(),
    mutate: mutatedCodec,
    check: (bytes) => {
      refusedOr(() => parseBlock(REGTEST, bytes))
      return refusedOr(() => {
        const block = parseBlockUnchecked(REGTEST, bytes)
        if (block.transactions.some(isUnsteady)) return
        assert.deepEqual(parseBlockUnchecked(REGTEST, block.encoded).encoded, block.encoded)
        assert.equal(block.senders.length, block.transactions.length)
      })
    },
  }),
  transaction: () => ({
    seeds: readVectorLines<{ raw?: string }>('consensus/transactions.jsonl').flatMap(({ raw }) =>
      raw === undefined ? [] : [fromHex(raw)],
    ),
    mutate: mutatedCodec,
    check: (bytes) =>
      refusedOr(() => {
        const transaction = parseTransaction(bytes)
        if (isUnsteady(transaction)) return
        const again = parseTransaction(transaction.encoded)
        assert.deepEqual(again.encoded, transaction.encoded)
        assert.deepEqual(again.hash, transaction.hash)
      }),
  }),
  receipt: () => ({
    seeds: recordedReceipts(),
    mutate: mutatedCodec,
    check: (bytes) =>
      refusedOr(() => {
        const encoded = encodeReceipt(parseReceipt(bytes))
        assert.deepEqual(encodeReceipt(parseReceipt(encoded)), encoded)
      }),
  }),
  request: () => {
    const readers = new BodyReaders(['eth_call', 'eth_getBalance'], MAX_REQUESTS)
    return {
      seeds: recordedRequests(),
      mutate: mutatedRequest,
      check: (bytes) => checkRequest(readers, bytes),
    }
  },
  ...SNAPSHOT_TARGETS,
}

/** Below zero the reference's arithmetic writes another v than it read; no network has such a chain id. */
function isUnsteady({ fields }: Transaction): boolean {
  return fields.chainId < 0
}

function mutatedCodec(chance: Chance, seed: Buffer, seeds: readonly Buffer[]): Buffer {
  return chance.happens(0.7) ? mutatedRlp(chance, seed, seeds) : mutatedBytes(chance, seed, seeds)
}

function mutatedRequest(chance: Chance, seed: Buffer, seeds: readonly Buffer[]): Buffer {
  if (chance.happens(0.4)) return mutatedBytes(chance, seed, seeds)
  const text = seed.toString()
  return isJson(text) ? Buffer.from(mutatedText(chance, JSON.parse(text), chance.pick([0.02, 0.1]))) : seed
}

/** What the native core makes of a body, the oracle makes of it. */
function checkRequest(readers: BodyReaders, bytes: Buffer): boolean {
  const body = readers.native(bytes)
  assert.deepEqual(body, readers.oracle(bytes))
  return typeof body !== 'string'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether it is taken; a refusal is one of the errors that readers declare. */
function refusedOr(read: () => void): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof CodecError || error instanceof RlpError) return false
    throw error
  }
}

function recordedBlocks(): Buffer[] {
  return ['consensus/remasc.jsonl', 'rpc/chain-main.jsonl'].flatMap((file) =>
    readVectorLines<{ type: string; rlp?: string }>(file)
      .flatMap(({ rlp }) => (rlp === undefined ? [] : [fromHex(rlp)]))
      .slice(-BLOCKS),
  )
}

/** Receipts with logs, made of the elements of recorded transactions: their bytes are nowhere recorded apart. */
function recordedReceipts(): Buffer[] {
  return recordedBlocks().map((block, index) => {
    const { header } = parseBlockUnchecked(REGTEST, block)
    return encodeReceipt({
      success: index % 2 === 0,
      cumulativeGasUsed: BigInt(index) * 21_000n,
      gasUsed: 21_000n,
      logsBloom: Buffer.alloc(256, index),
      logs: Array.from({ length: index % 4 }, (_, log) => ({
        address: header.hash.subarray(0, 20),
        topics: Array.from({ length: log + 1 }, () => header.hash),
        data: header.encodedFull.subarray(0, 40 * log),
      })),
    })
  })
}

function recordedRequests(): Buffer[] {
  return readVectorLines<{ request?: unknown }>('rpc/rpc-main.jsonl')
    .flatMap(({ request }) => (request === undefined ? [] : [Buffer.from(JSON.stringify(request))]))
    .slice(0, 2000)
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/, ''), 'hex')
}
