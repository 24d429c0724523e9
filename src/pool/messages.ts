import type { MessagePort } from 'node:worker_threads'
import type { Answer } from '../rpc/execute.ts'

/**
 * What crosses between the front thread and the pool's workers: batches as single buffers.
 *
 * Request batch: u32 count, then per request u16 method (its place in METHODS), u16 interrupt slot,
 * u32 id bytes, u32 parameter bytes, id, parameters (both JSON text in UTF-8).
 * Answer batch: u32 count, then per answer u16 HTTP status, u32 bytes; then the answers' bytes in order.
 * All little-endian.
 */

/** One request as a worker gets it. */
export interface PoolRequest {
  /** Place in METHODS. */
  readonly method: number
  /** Element of the interrupt table. */
  readonly slot: number
  /** JSON text. */
  readonly id: string
  /** JSON text; empty when there are none. */
  readonly params: string
}

/** One answer as the front gets it: ready to be sent. */
export interface PoolAnswer {
  /** HTTP status when it is the only answer. */
  readonly status: number
  readonly bytes: Uint8Array
}

/** What every task carries. */
export interface PoolTask {
  readonly batch: Uint8Array<ArrayBuffer>
}

/** What a worker is started with. */
export interface WorkerSetup {
  /** Address of the module whose `openNodeContext(options, interrupt, chainPort)` makes the worker's context. */
  readonly contextModule: string
  /** What that function gets; must survive structured cloning. */
  readonly contextOptions: unknown
  /** The interrupt table, one 32-bit element per slot. */
  readonly interrupts: SharedArrayBuffer
  /** Most bytes of one answer. */
  readonly maxAnswerBytes: number
}

/** What a worker says once, when it starts. */
export interface WorkerHello {
  /** To be served by the chain thread (`serveChainLink`). */
  readonly chainPort: MessagePort
}

const COUNT_BYTES = 4
const REQUEST_HEAD_BYTES = 12
const ANSWER_HEAD_BYTES = 6

/** Writes a batch of requests. */
export function encodeRequests(requests: readonly PoolRequest[]): Uint8Array<ArrayBuffer> {
  // UTF-8 takes at most three bytes per UTF-16 unit; what is not used is cut off below.
  let capacity = COUNT_BYTES
  for (const { id, params } of requests) capacity += REQUEST_HEAD_BYTES + 3 * (id.length + params.length)
  const buffer = Buffer.from(new ArrayBuffer(capacity))
  buffer.writeUInt32LE(requests.length, 0)
  let position = COUNT_BYTES
  for (const { method, slot, id, params } of requests) {
    const idStart = position + REQUEST_HEAD_BYTES
    const idBytes = buffer.write(id, idStart, 'utf8')
    const paramsBytes = buffer.write(params, idStart + idBytes, 'utf8')
    buffer.writeUInt16LE(method, position)
    buffer.writeUInt16LE(slot, position + 2)
    buffer.writeUInt32LE(idBytes, position + 4)
    buffer.writeUInt32LE(paramsBytes, position + 8)
    position = idStart + idBytes + paramsBytes
  }
  return buffer.subarray(0, position)
}

/** Reads a batch of requests. */
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
      params: buffer.toString('utf8', paramsStart, end),
    })
    position = end
  }
  return requests
}

/** Writes a batch of answers. */
export function encodeAnswers(answers: readonly Answer[]): Uint8Array<ArrayBuffer> {
  let total = COUNT_BYTES + ANSWER_HEAD_BYTES * answers.length
  const lengths = answers.map(({ text, rest }) => {
    let length = Buffer.byteLength(text, 'utf8')
    if (rest !== undefined) length += rest.bytes.length + rest.end.length
    total += length
    return length
  })
  const buffer = Buffer.from(new ArrayBuffer(total))
  buffer.writeUInt32LE(answers.length, 0)
  let head = COUNT_BYTES
  let position = COUNT_BYTES + ANSWER_HEAD_BYTES * answers.length
  answers.forEach(({ text, rest, status }, i) => {
    const length = lengths[i] ?? 0
    buffer.writeUInt16LE(status, head)
    buffer.writeUInt32LE(length, head + 2)
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
  let head = COUNT_BYTES
  let position = COUNT_BYTES + ANSWER_HEAD_BYTES * count
  for (let i = 0; i < count; i++) {
    const length = buffer.readUInt32LE(head + 2)
    answers.push({ status: buffer.readUInt16LE(head), bytes: buffer.subarray(position, position + length) })
    head += ANSWER_HEAD_BYTES
    position += length
  }
  return answers
}
