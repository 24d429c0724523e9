import { strict as assert } from 'node:assert'
import type { Block } from '../../../src/chain/codec/block.ts'
import { parseHeader } from '../../../src/chain/codec/headerDecoder.ts'
import { encodeList } from '../../../src/chain/codec/rlpWriter.ts'
import { createGenesis } from '../../../src/chain/genesis.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { NativeGenesisState } from '../../../src/execution/genesisState.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { StateStore } from '../../../src/native/stateStore.ts'
import { decodeBlockRecords, encodeBlockRecord } from '../../../src/snapshot/blockRecord.ts'
import { BlockVerifier } from '../../../src/snapshot/blockVerifier.ts'
import { addSignatures, SignerKey } from '../../../src/snapshot/blsKeys.ts'
import { SnapshotError, type SnapshotErrorCode } from '../../../src/snapshot/errors.ts'
import {
  type ChunkEntry,
  chunkFile,
  formatManifest,
  type Manifest,
  parseManifest,
  SNAPSHOT_VERSION,
} from '../../../src/snapshot/manifest.ts'
import { formatSignatures, parseSignatures } from '../../../src/snapshot/signatureFile.ts'
import { assertTrusted, trustFrom } from '../../../src/snapshot/snapshotTrust.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'
import type { Chance } from '../chance.ts'
import { mutatedText } from '../mutateJson.ts'
import { mutatedBytes, mutatedRlp } from './mutateBytes.ts'
import type { FuzzTarget } from './targets.ts'

const REGTEST = networkByName('regtest')
const SNAPSHOT = 'ab'.repeat(32)
const QUORUM = 2

/** The targets of what a stranger's snapshot consists of, but for what the native core reads (`native/fuzz`). */
export const SNAPSHOT_TARGETS: Readonly<Record<string, () => FuzzTarget>> = {
  snapshotManifest: () => ({
    seeds: [manifest(1, 'all', 1), manifest(4007, 'head', 3), manifest(90_000, 'all', 40)].map((sample) =>
      Buffer.from(formatManifest(sample)),
    ),
    mutate: mutatedJson,
    check: (bytes) => refusedAs('SNAPSHOT_MANIFEST', () => checkManifest(bytes)),
  }),
  snapshotSignatures: () => {
    const keys = [1, 2, 3].map((seed) => SignerKey.generate(Buffer.alloc(32, seed)))
    const trusted = trustFrom(
      keys.map((key) => `${key.publicKey}:${key.prove()}`),
      QUORUM,
    )
    return {
      seeds: [keys, keys.slice(1), [keys[0], keys[2]], keys.slice(2)].map((signers) =>
        signatures(signers.filter((key) => key !== undefined)),
      ),
      mutate: mutatedJson,
      check: (bytes) =>
        refusedAs('SNAPSHOT_SIGNATURE', () => {
          assertTrusted({ id: SNAPSHOT }, bytes, trusted)
          const { signers, signature } = parseSignatures(bytes)
          const signing = keys.filter(({ publicKey }) => signers.includes(publicKey))
          assert.ok(signing.length >= QUORUM)
          assert.equal(signers.length, signing.length)
          // There is one signature of a key over a message.
          assert.equal(signature, addSignatures(signing.map((key) => key.sign(SNAPSHOT))))
        }),
    }
  },
  snapshotBlocks: () => {
    const genesis = genesisOfRegtest()
    return {
      seeds: recordedChunks(),
      mutate: (chance, seed, seeds) =>
        chance.happens(0.7) ? mutatedRlp(chance, seed, seeds) : mutatedBytes(chance, seed, seeds),
      check: (bytes) => refusedAs('SNAPSHOT_CONTENT', () => checkBlocks(bytes, genesis)),
    }
  },
}

function mutatedJson(chance: Chance, seed: Buffer, seeds: readonly Buffer[]): Buffer {
  if (chance.happens(0.3)) return mutatedBytes(chance, seed, seeds)
  try {
    return Buffer.from(mutatedText(chance, JSON.parse(seed.toString()), chance.pick([0.002, 0.02, 0.1])))
  } catch {
    return mutatedBytes(chance, seed, seeds)
  }
}

/** What is taken says the same when it is written, names files of its folder only, and has every block once. */
function checkManifest(bytes: Buffer): void {
  const { manifest } = parseManifest(bytes)
  assert.deepEqual(parseManifest(Buffer.from(formatManifest(manifest))).manifest, manifest)
  let height = manifest.first.number
  for (const chunk of manifest.chunks) {
    assert.match(chunkFile(chunk), /^[0-9a-f]{64}\.zst$/)
    if (chunk.kind === 'state') continue
    assert.equal(chunk.from, height)
    height = chunk.to + 1
  }
  assert.equal(height, manifest.block.number + 1)
}

/** A chunk that begins a snapshot: what is taken is what is written again. */
function checkBlocks(bytes: Buffer, genesis: Block): void {
  const number = lowestOf(bytes)
  const records = [...recordsOf(bytes)]
  const to = number + records.filter(({ canonical }) => canonical).length - 1
  const sample = { ...manifest(number, 'head', 1), first: { number, parentTotalDifficulty: '123456789' } }
  const verified = new BlockVerifier(REGTEST, sample, genesis).verify(
    { ...(sample.chunks[0] as ChunkEntry), items: records.length, from: number, to },
    bytes,
  )
  const again = Buffer.concat(verified.map(({ record }) => encodeBlockRecord(record)))
  assert.deepEqual([...decodeBlockRecords(again)], records)
}

/** Height of the first block, 2 where there is none: below it block 1 must stand on genesis. */
function lowestOf(bytes: Buffer): number {
  const [first] = recordsOf(bytes)
  try {
    return first === undefined ? 2 : Math.max(2, parseHeader(REGTEST, first.header).number)
  } catch {
    return 2
  }
}

function recordsOf(bytes: Buffer) {
  try {
    return [...decodeBlockRecords(bytes)]
  } catch {
    return []
  }
}

/** Whether it is taken; a refusal is a snapshot's of this kind. */
function refusedAs(code: SnapshotErrorCode, read: () => void): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof SnapshotError && error.code === code) return false
    throw error
  }
}

/** A manifest with a chunk of the state and so many of blocks. */
function manifest(first: number, states: Manifest['states'], chunks: number): Manifest {
  const state = { kind: 'state', hash: '0f'.repeat(32), size: 8_388_700, packedSize: 4_100_000 } as const
  const blocks = Array.from({ length: chunks }, (_, index) => ({
    kind: 'blocks' as const,
    hash: index.toString(16).padStart(64, '0'),
    size: 9_000_000 + index,
    packedSize: 3_000_000 - index,
    items: 105,
    from: first + index * 100,
    to: first + index * 100 + 99,
  }))
  return {
    version: SNAPSHOT_VERSION,
    network: 'regtest',
    genesis: '01'.repeat(32),
    block: { number: first + chunks * 100 - 1, hash: '02'.repeat(32) },
    stateRoot: '03'.repeat(32),
    totalDifficulty: '123456789012345678901234567890',
    first: { number: first, parentTotalDifficulty: '0' },
    states,
    chunks: [
      { ...state, items: 40_000, from: 1, to: 8_388_609 },
      { ...state, hash: '1f'.repeat(32), items: 7, from: 8_388_609, to: 9_000_000 },
      ...blocks,
    ],
    created: '2026-11-22T00:00:00.000Z',
    program: 'Rhizome-test',
  }
}

function signatures(keys: readonly SignerKey[]): Buffer {
  const signature = addSignatures(keys.map((key) => key.sign(SNAPSHOT)))
  const signers = keys.map(({ publicKey }) => publicKey).sort()
  return Buffer.from(formatSignatures({ snapshot: SNAPSHOT, signers, signature }))
}

function genesisOfRegtest(): Block {
  const nativeSpec = createNativeChainSpec(REGTEST)
  return createGenesis(
    REGTEST,
    new NativeGenesisState({ spec: REGTEST, nativeSpec, store: StateStore.inMemory() }),
  )
}

interface BlockLine {
  readonly hash: string
  readonly number: number
  readonly main?: boolean
  readonly txs?: readonly { readonly receiptRlp: string }[]
}

/** Chunks of one, two and five recorded blocks that follow one another. */
function recordedChunks(): Buffer[] {
  const lines = readVectorLines<unknown>('rpc/chain-main.jsonl')
  const chain = new RecordedChain(lines)
  const heads = (lines.slice(1) as BlockLine[]).filter(({ main }) => main !== false)
  const records = heads.map(({ hash, txs = [] }) => {
    const block = chain.readerAt(fromHex(hash)).blockByHash(fromHex(hash))
    if (block === null) throw new Error(`no block ${hash}`)
    return encodeBlockRecord({
      canonical: true,
      header: block.header.encodedFull,
      body: block.encodedBody,
      receipts: encodeList(txs.map(({ receiptRlp }) => fromHex(receiptRlp))),
      stateRoot: Buffer.alloc(0),
    })
  })
  return [1, 2, 5].flatMap((length) =>
    records.flatMap((_, index) =>
      index + length > records.length ? [] : [Buffer.concat(records.slice(index, index + length))],
    ),
  )
}
