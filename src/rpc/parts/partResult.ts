import { type ByteSource, RawBytes } from '../json.ts'

const HEAD = '{"count":'
const BETWEEN = ',"elements":['
const END = Buffer.from(']}')

/** What a part of a search found: how many elements, and their JSON texts with commas between. */
export interface FoundPart {
  readonly count: number
  readonly elements: Buffer
}

/** The result of a part as JSON text. */
export function partResult(count: number, elements: ByteSource): RawBytes {
  const head = Buffer.from(`${HEAD}${count}${BETWEEN}`)
  const bytes = Buffer.allocUnsafe(head.length + elements.length + END.length)
  head.copy(bytes)
  elements.moveTo(bytes, head.length)
  END.copy(bytes, bytes.length - END.length)
  return new RawBytes(bytes)
}

/** Reads what {@link partResult} wrote; null for anything else. The elements are a view. */
export function readPartResult(result: Buffer): FoundPart | null {
  const between = result.indexOf(BETWEEN)
  const count = Number(result.toString('latin1', HEAD.length, between))
  const isPart = between > 0 && result.toString('latin1', 0, HEAD.length) === HEAD
  if (!isPart || !Number.isSafeInteger(count) || count < 0) return null
  if (!result.subarray(result.length - END.length).equals(END)) return null
  return { count, elements: result.subarray(between + BETWEEN.length, result.length - END.length) }
}
