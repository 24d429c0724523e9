import type { ParsedRequest } from './parseBody.ts'
import type { RequestScanner } from './scanRequest.ts'

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const LAST_SPACE = 0x20

/**
 * The requests of an ordinary batch; null for anything else, which the full parser has to look at: another
 * body, what is no JSON, nested batches, notifications, and batches without or with too many requests.
 */
export function scanBatch(scanner: RequestScanner, bytes: Buffer, most: number): ParsedRequest[] | null {
  let position = skipSpace(bytes, 0)
  if (bytes[position] !== OPEN_BRACKET) return null
  const requests: ParsedRequest[] = []
  do {
    if (requests.length === most || !scanner.scan(bytes, position + 1)) return null
    requests.push({
      method: scanner.method,
      id: bytes.toString('latin1', scanner.idStart, scanner.idEnd),
      params: bytes.toString('latin1', scanner.paramsStart, scanner.paramsEnd),
    })
    position = skipSpace(bytes, scanner.end)
  } while (bytes[position] === COMMA)
  // The scan only finds parameters: whether they are JSON decides about the batch as a whole.
  return bytes[position] === CLOSE_BRACKET && isJson(bytes, position + 1) ? requests : null
}

function isJson(bytes: Buffer, end: number): boolean {
  try {
    JSON.parse(bytes.toString('latin1', 0, end))
    return true
  } catch {
    return false
  }
}

function skipSpace(bytes: Buffer, start: number): number {
  let position = start
  while ((bytes[position] ?? COMMA) <= LAST_SPACE) position += 1
  return position
}
