import { ANSWER_HEAD } from '../../rpc/json.ts'

/** Bytes of an answer in which its id is looked for. */
const MAX_ID_BYTES = 1024

const AFTER_ID = /,"(?:result|error)":/

/** The id of an answer, as JSON text; `null` of a batch, and where it is too long to be found at the beginning. */
export function idOfAnswer(body: string | Uint8Array): string {
  const head =
    typeof body === 'string'
      ? body.slice(0, MAX_ID_BYTES)
      : Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAX_ID_BYTES)).toString('utf8')
  if (!head.startsWith(ANSWER_HEAD)) return 'null'
  const end = head.slice(ANSWER_HEAD.length).search(AFTER_ID)
  return end < 0 ? 'null' : head.slice(ANSWER_HEAD.length, ANSWER_HEAD.length + end)
}
