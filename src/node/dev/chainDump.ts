import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Blockchain } from '../../chain/blockchain.ts'
import { type Block, parseBlock } from '../../chain/codec/block.ts'
import { CodecError } from '../../chain/codec/errors.ts'
import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import { parseRLPList, RlpError, rlpItemLength } from '../../chain/codec/rlpReader.ts'
import { encodeStrings } from '../../chain/codec/rlpWriter.ts'
import { recoverSenders } from '../../chain/codec/signature.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { NativeError } from '../../native/errors.ts'
import { packChunk } from '../../native/snapshot.ts'
import { ChunkIntake, readStateChunk, STATE_CHUNK_SPAN } from '../../native/stateChunks.ts'
import type { StateStore } from '../../native/stateStore.ts'
import { ZstdStream } from '../../native/zstdStream.ts'
import { invalidParams, RpcError } from '../../rpc/errors.ts'
import { type AnvilState, readAnvilState } from './anvilState.ts'

const decompressGzip = promisify(gunzip)

/** Bytes that a dump may hold: a small one must not unpack to all memory. */
const MAX_BYTES = 256 * 1024 * 1024
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const BRACE = 0x7b

/** The state that users made of that after a block. */
export interface DumpedState {
  /** 32 bytes. */
  readonly root: Buffer
  /** All of it in chunks, as snapshot sync has them (p2p.md §5 Snapshot sync). */
  readonly chunks: readonly Buffer[]
}

/** Roots of edited states by block hash in hex: the edits of a moment. */
export type StateEdits = ReadonlyMap<string, Buffer>

/** The steps of a dump, in order: an edited state belongs to the block before it, or to genesis. */
export type DumpStep =
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'state'; readonly state: DumpedState }

/** A dump: of this node, or of anvil. */
export type Dump = { readonly kind: 'chain'; readonly steps: readonly DumpStep[] } | AnvilState

/**
 * The blocks of a development chain behind genesis and, behind each block whose state was edited, the edited state as a
 * list of its root and its chunks; all of it RLP, compressed by zstd. Edited states repeat most of one another, which
 * costs little then.
 * @param edits roots of the edited states
 * @throws RpcError -32000 for a chain that is too large
 */
export async function dumpChain(
  { reader, head }: Blockchain,
  store: StateStore,
  edits: StateEdits,
): Promise<Buffer> {
  const parts: (Buffer | { readonly root: Buffer })[] = []
  for (let number = 0; number <= head.number; number += 1) {
    const block = reader.blockByNumber(number)
    if (block === null) throw new Error(`the canonical chain has no block ${number}`)
    if (number > 0) parts.push(block.encoded)
    const root = edits.get(block.hashHex)
    if (root !== undefined) parts.push({ root })
  }
  const pieces: Buffer[] = []
  let bytes = 0
  for (const part of parts) {
    const piece = Buffer.isBuffer(part) ? part : await encodeState(store, part.root)
    bytes += piece.length
    if (bytes > MAX_BYTES) {
      throw new RpcError('executionFailed', `the chain cannot be dumped: it has more than ${MAX_BYTES} bytes`)
    }
    pieces.push(piece)
  }
  return (await packChunk(Buffer.concat(pieces))).packed
}

async function encodeState(store: StateStore, root: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let from = 0, isComplete = false; !isComplete; from += STATE_CHUNK_SPAN) {
    const chunk = await readStateChunk(store, root, from, MAX_BYTES)
    if (chunk === null) throw new Error(`the edited state ${root.toString('hex')} is not here`)
    chunks.push(chunk.body)
    isComplete = chunk.complete
  }
  return encodeStrings([root, ...chunks])
}

/**
 * A dump of this node, also of builds that dumped blocks alone, or of anvil.
 * @throws RpcError -32602 for bytes that are none
 */
export async function readDump(spec: NetworkSpec, dump: Uint8Array): Promise<Dump> {
  const bytes = await decompress(dump)
  return bytes[0] === BRACE ? readAnvilState(bytes) : { kind: 'chain', steps: readSteps(spec, bytes) }
}

async function decompress(dump: Uint8Array): Promise<Buffer> {
  const packed = Buffer.from(dump)
  const startsWith = (magic: Buffer) => packed.subarray(0, magic.length).equals(magic)
  try {
    if (startsWith(GZIP_MAGIC)) return await decompressGzip(packed, { maxOutputLength: MAX_BYTES })
    if (startsWith(ZSTD_MAGIC)) return decompressZstd(packed)
  } catch (error) {
    // zlib says what is wrong with its input by a code of its own.
    if (error instanceof Error && 'code' in error) throw noDump(error)
    throw error
  }
  // Files of anvil are not compressed.
  if (packed[0] === BRACE) return packed
  throw invalidParams('Invalid state: no dump of this node or of anvil')
}

function decompressZstd(packed: Buffer): Buffer {
  const stream = new ZstdStream()
  const pieces: Buffer[] = []
  let bytes = 0
  for (const piece of stream.decode(packed)) {
    bytes += piece.length
    if (bytes > MAX_BYTES) throw invalidParams(`Invalid state: it has more than ${MAX_BYTES} bytes`)
    pieces.push(piece)
  }
  if (!stream.isWhole) throw invalidParams('Invalid state: its end is missing')
  return Buffer.concat(pieces)
}

function readSteps(spec: NetworkSpec, bytes: Buffer): DumpStep[] {
  const steps: DumpStep[] = []
  try {
    for (let position = 0; position < bytes.length; ) {
      const length = rlpItemLength(bytes, position)
      steps.push(readStep(spec, bytes.subarray(position, position + length)))
      position += length
    }
    return steps
  } catch (error) {
    if (error instanceof RlpError || error instanceof CodecError) throw noDump(error)
    throw error
  }
}

function readStep(spec: NetworkSpec, encoded: Buffer): DumpStep {
  const [first, ...chunks] = parseRLPList(encoded)
  if (first !== undefined && !first.isList) {
    return { kind: 'state', state: { root: first.bytes, chunks: chunks.map(({ bytes }) => bytes) } }
  }
  const block = parseBlock(spec, encoded)
  const impersonated = block.transactions.map(impersonatedSender)
  // The sender of a transaction that nobody signed stands there instead (impersonated.ts).
  if (impersonated.some((sender) => sender !== null)) {
    const recovered = recoverSenders(block.transactions)
    block.setSenders(impersonated.map((sender, index) => sender ?? recovered[index] ?? null))
  }
  return { kind: 'block', block }
}

/**
 * Puts the edited states of a dump into the store, where nothing refers to them yet.
 * @throws RpcError -32602 for chunks that are not those of the state that they say
 */
export async function storeStates(store: StateStore, steps: readonly DumpStep[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'state') await storeState(store, step.state)
  }
}

async function storeState(store: StateStore, { root, chunks }: DumpedState): Promise<void> {
  try {
    if (store.hasRoot(root)) return
    const intake = new ChunkIntake(store, root, null)
    for (const chunk of chunks) {
      const { refused } = await intake.take(chunk)
      if (refused !== null) throw invalidParams(`Invalid state: ${refused}`)
    }
    if (!store.hasRoot(root)) throw invalidParams('Invalid state: a part of an edited state is missing')
  } catch (error) {
    if (error instanceof NativeError && error.code === 'InvalidArgument') throw noDump(error)
    throw error
  }
}

function noDump(cause: Error): RpcError {
  return invalidParams(`Invalid state: no dump of this node or of anvil: ${cause.message}`, { cause })
}
