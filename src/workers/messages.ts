import type { MessagePort } from 'node:worker_threads'
import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { Answer } from '../rpc/execute.ts'
import type { JsonText } from '../rpc/json.ts'
import { PREFERENCES, type Preferences } from '../rpc/preferences.ts'

/**
 * What crosses between the front thread and the pool's workers: batches as single buffers.
 *
 * Request batch: u32 count, then per request u16 method (its index in METHODS), u16 interrupt slot,
 * u32 id bytes, u32 parameter bytes, u8 the caller's preferences (index in PREFERENCES), id, parameters (both JSON text in
 * UTF-8).
 * Answer batch: u32 count, u8 whether the block follows that the answers were given at, u48 its height, 32 bytes of its
 * hash; then per answer u16 HTTP status, u32 bytes, u32 microseconds that it took; then the answers' bytes in order.
 * All little-endian.
 */

/**
 * Work in one batch, milliseconds. A worker that has worked for so long gives back what it did not begin: short
 * requests behind long ones would wait for all of them.
 */
export const BATCH_MILLISECONDS = 5

/** Status instead of an answer: the worker did not begin the request. */
export const NOT_RUN = 0

/** One request as a worker gets it. */
export interface PoolRequest {
  /** Index in METHODS. */
  readonly method: number
  /** Element of the interrupt table. */
  readonly slot: number
  /** JSON text. */
  readonly id: string
  /** Empty when there are none. */
  readonly params: JsonText
  readonly preferences: Preferences
}

/** One answer as the front gets it: ready to be sent. */
export interface PoolAnswer {
  /** HTTP status when it is the only answer, or {@link NOT_RUN}. */
  readonly status: number
  readonly bytes: Uint8Array
  /** Time that the worker took for it, milliseconds; absent where nobody looked. */
  readonly milliseconds?: number
  /** The head that it was given at; absent where nobody asks for it. */
  readonly block?: BlockReference
}

/** The data that every task carries. */
export interface PoolTask {
  readonly batch: Uint8Array<ArrayBuffer>
  /** Index in {@link WorkerSetup.outputs} for the answers if they fit; `NO_BUFFER` for none. */
  readonly output: number
}

/** The result of a task: the batch of answers, or its bytes in the buffer of the task. */
export type PoolResult = Uint8Array | number

/** The options with which a worker is started. */
export interface WorkerSetup {
  /** Address of the module whose `openNodeContext(options, interrupt, chainPort)` makes the worker's context. */
  readonly contextModule: string
  /** The options that the function gets; they must survive structured cloning. */
  readonly contextOptions: unknown
  /** The interrupt table, one 32-bit element per slot. */
  readonly interrupts: SharedArrayBuffer
  /** Most bytes of one answer. */
  readonly maxAnswerBytes: number
  /** Memory that is shared with the front thread. */
  readonly outputs: readonly SharedArrayBuffer[]
  /** True when answers come with the head that they were given at. */
  readonly reportsHead: boolean
  /** By how much the system puts the thread behind others that want to run, 0 to 19, as with nice(1). */
  readonly niceness: number
}

/** The message of a worker when it starts. */
export interface WorkerHello {
  /** To be served by the chain thread (`proxy.ts`). */
  readonly chainPort: MessagePort
}

const COUNT_BYTES = 4
const HEIGHT_BYTES = 6
const HASH_BYTES = 32
const HAS_BLOCK_AT = COUNT_BYTES
const HEIGHT_AT = HAS_BLOCK_AT + 1
const HASH_AT = HEIGHT_AT + HEIGHT_BYTES
/** Of a batch of answers, before the heads of the answers. */
const BATCH_HEAD_BYTES = HASH_AT + HASH_BYTES
const REQUEST_HEAD_BYTES = 13
const ANSWER_HEAD_BYTES = 10
const MAX_MICROSECONDS = 0xffffffff

/** Writes a batch of requests. */
export function encodeRequests(requests: readonly PoolRequest[]): Uint8Array<ArrayBuffer> {
  // UTF-8 takes at most three bytes per UTF-16 unit; what is not used is cut off below.
  let capacity = COUNT_BYTES
  for (const { id, params } of requests) {
    capacity += REQUEST_HEAD_BYTES + 3 * id.length + (typeof params === 'string' ? 3 : 1) * params.length
  }
  const buffer = Buffer.from(new ArrayBuffer(capacity))
  buffer.writeUInt32LE(requests.length, 0)
  let position = COUNT_BYTES
  for (const { method, slot, id, params, preferences } of requests) {
    const idStart = position + REQUEST_HEAD_BYTES
    const idBytes = buffer.write(id, idStart, 'utf8')
    const paramsBytes = writeText(buffer, params, idStart + idBytes)
    buffer.writeUInt16LE(method, position)
    buffer.writeUInt16LE(slot, position + 2)
    buffer.writeUInt32LE(idBytes, position + 4)
    buffer.writeUInt32LE(paramsBytes, position + 8)
    buffer[position + 12] = PREFERENCES.indexOf(preferences)
    position = idStart + idBytes + paramsBytes
  }
  return buffer.subarray(0, position)
}

/** Bytes that were written. */
function writeText(buffer: Buffer, text: JsonText, at: number): number {
  if (typeof text === 'string') return buffer.write(text, at, 'utf8')
  buffer.set(text, at)
  return text.length
}

/** Reads a batch of requests, whose parameters are views of it. */
export function decodeRequests(batch: Uint8Array): PoolRequest[] {
  const buffer = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength)
  const count = buffer.readUInt32LE(0)
  const requests: PoolRequest[] = []
  let position = COUNT_BYTES
  for (let i = 0; i < count; i++) {
    const idStart = position + REQUEST_HEAD_BYTES
    const paramsStart = idStart + buffer.readUInt32LE(position + 4)
    const end = paramsStart + buffer.readUInt32LE(position + 8)
    requests.push({
      method: buffer.readUInt16LE(position),
      slot: buffer.readUInt16LE(position + 2),
      id: buffer.toString('utf8', idStart, paramsStart),
      params: buffer.subarray(paramsStart, end),
      preferences: PREFERENCES[buffer[position + 12] ?? 0] as Preferences,
    })
    position = end
  }
  return requests
}

/**
 * Writes a batch of answers.
 * @param milliseconds that each of them took
 * @param block that they were given at; null where nobody asks for it
 * @param take gives memory of so many bytes to write to
 */
export function encodeAnswers(
  answers: readonly Answer[],
  milliseconds: ArrayLike<number>,
  block: BlockReference | null,
  take: (bytes: number) => Buffer = (bytes) => Buffer.from(new ArrayBuffer(bytes)),
): Uint8Array {
  let total = BATCH_HEAD_BYTES + ANSWER_HEAD_BYTES * answers.length
  const lengths = answers.map(({ text, rest }) => {
    let length = Buffer.byteLength(text, 'utf8')
    if (rest !== undefined) length += rest.bytes.length + rest.end.length
    total += length
    return length
  })
  const buffer = take(total)
  buffer.writeUInt32LE(answers.length, 0)
  buffer[HAS_BLOCK_AT] = block === null ? 0 : 1
  if (block !== null) {
    buffer.writeUIntLE(block.number, HEIGHT_AT, HEIGHT_BYTES)
    buffer.set(block.hash, HASH_AT)
  }
  let head = BATCH_HEAD_BYTES
  let position = BATCH_HEAD_BYTES + ANSWER_HEAD_BYTES * answers.length
  answers.forEach(({ text, rest, status }, i) => {
    const length = lengths[i] ?? 0
    buffer.writeUInt16LE(status, head)
    buffer.writeUInt32LE(length, head + 2)
    buffer.writeUInt32LE(Math.min(MAX_MICROSECONDS, Math.round((milliseconds[i] ?? 0) * 1000)), head + 6)
    head += ANSWER_HEAD_BYTES
    const end = position + length
    position += buffer.write(text, position, length, 'utf8')
    if (rest !== undefined) {
      const { length: middle } = rest.bytes
      rest.bytes.moveTo(buffer, position)
      buffer.write(rest.end, position + middle, 'latin1')
    }
    position = end
  })
  return buffer
}

/** Reads a batch of answers; their bytes are views of the batch. */
export function decodeAnswers(batch: Uint8Array): PoolAnswer[] {
  const buffer = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength)
  const count = buffer.readUInt32LE(0)
  const answers: PoolAnswer[] = []
  const block = blockOf(buffer)
  let head = BATCH_HEAD_BYTES
  let position = BATCH_HEAD_BYTES + ANSWER_HEAD_BYTES * count
  for (let i = 0; i < count; i++) {
    const length = buffer.readUInt32LE(head + 2)
    answers.push({
      status: buffer.readUInt16LE(head),
      bytes: buffer.subarray(position, position + length),
      milliseconds: buffer.readUInt32LE(head + 6) / 1000,
      ...block,
    })
    head += ANSWER_HEAD_BYTES
    position += length
  }
  return answers
}

function blockOf(batch: Buffer): { block: BlockReference } | null {
  if (batch[HAS_BLOCK_AT] === 0) return null
  // It outlives the memory of the batch.
  const hash = Buffer.from(batch.subarray(HASH_AT, HASH_AT + HASH_BYTES))
  return { block: { number: batch.readUIntLE(HEIGHT_AT, HEIGHT_BYTES), hash } }
}
