import { ANSWER_HEAD } from '../../rpc/json.ts'

/** The text after the id of a result, as far as it differs from that of an error. */
const RESULT = Buffer.from(',"r')
const ERROR_CODE = /,"error":\{"code":(-?\d+)/
/** Characters behind the id in which the code of an error stands. */
const CODE_CHARACTERS = 64

/**
 * The code of an answer that is an error; null for a result, and for the empty answer of a notification.
 * @param id JSON text; an error may carry null instead
 */
export function errorCodeOf(body: string | Uint8Array, id: string): number | null {
  if (body.length === 0) return null
  const at = ANSWER_HEAD.length + (typeof body === 'string' ? id.length : Buffer.byteLength(id))
  if (isResult(body, at)) return null
  // Quotes inside an id are escaped, so that an id cannot be taken for the error.
  const code = ERROR_CODE.exec(startOf(body, at + CODE_CHARACTERS))?.[1]
  return code === undefined ? null : Number(code)
}

function isResult(body: string | Uint8Array, at: number): boolean {
  for (let i = 0; i < RESULT.length; i++) {
    const found = typeof body === 'string' ? body.charCodeAt(at + i) : body[at + i]
    if (found !== RESULT[i]) return false
  }
  return true
}

function startOf(body: string | Uint8Array, length: number): string {
  if (typeof body === 'string') return body.slice(0, length)
  return Buffer.from(body.buffer, body.byteOffset, Math.min(length, body.length)).toString('latin1')
}
