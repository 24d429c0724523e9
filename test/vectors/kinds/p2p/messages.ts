import { readRlpItems } from '../../../../src/chain/codec/rlpReader.ts'
import { FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import { P2pError } from '../../../../src/p2p/wire/p2pError.ts'
import { signedBytesToBigInt } from '../../../../src/util/bytes.ts'
import type { CaseValues, Comparison } from '../../comparison.ts'
import { compareChunks } from './chunks.ts'
import { canonical, compareHeader, type HeaderLine, type MessageLine } from './lines.ts'
import { decodeTcp, encodeTcp } from './tcpMessage.ts'
import { compareUdp } from './udpPacket.ts'

/** p2p-messages.jsonl, p2p-sessions.jsonl and p2p-snap.jsonl: every message, read and written. */
export async function compareMessages(lines: AsyncIterable<unknown>, comparison: Comparison): Promise<void> {
  let header: HeaderLine | undefined
  for await (const line of lines) {
    const vector = line as HeaderLine | MessageLine
    if ('kind' in vector) {
      header = vector
      comparison.case('header', (values) => compareHeader(vector, values))
    } else {
      comparison.case(`${vector.scenario} ${vector.seq} ${vector.name}`, (values) => {
        if (header === undefined) throw new Error('the file does not begin with its header')
        compareMessage(vector, header, values)
      })
    }
  }
}

function compareMessage(vector: MessageLine, header: HeaderLine, values: CaseValues): void {
  switch (vector.layer) {
    case 'udp':
      compareUdp(vector, header, values)
      return
    case 'frame':
      compareChunks(vector, values)
      return
    case 'p2p':
    case 'eth-status':
    case 'rsk':
      compareTcp(vector, vector.code ?? -1, values)
      return
    default:
      throw new Error(`unknown layer ${vector.layer}`)
  }
}

function compareTcp(vector: MessageLine, code: number, values: CaseValues): void {
  const payload = Buffer.from(vector.payload, 'hex')
  const { decoded } = vector
  if (decoded === undefined || vector.odd !== undefined) {
    compareOdd(vector, code, payload, values)
    return
  }
  values.equal('decoded', canonical(decoded), canonical(decodeTcp(code, payload)))
  values.equal('encoded', payload, encodeTcp(code, vector.name, decoded))
  if (vector.layer === 'rsk') values.equal('type', vector.type, typeNumberOf(payload))
}

/** What was sent on purpose in a form that the reference would not write: read as it reads it. */
function compareOdd(vector: MessageLine, code: number, payload: Buffer, values: CaseValues): void {
  const { decoded } = vector
  if (decoded === undefined || 'undecodable' in decoded || isRefusedByReference(code, payload)) {
    values.equal(
      'refused',
      true,
      isRefused(() => decodeTcp(code, payload)),
    )
    return
  }
  values.equal('decoded', canonical(decoded), canonical(decodeTcp(code, payload)))
  const encoded = encodeTcp(code, vector.name, decoded)
  values.equal('is another form', false, encoded.equals(payload))
}

/**
 * What the recording peer reads and the reference does not: a DISCONNECT that is no list (p2p.md §3) and a total
 * difficulty without its zero byte (p2p.md §4).
 */
function isRefusedByReference(code: number, payload: Buffer): boolean {
  if (code === FRAME_CODES.disconnect) return (payload[0] ?? 0) < 0xc0
  if (code !== FRAME_CODES.rskMessage || typeNumberOf(payload) !== 1) return false
  const [body] = readRlpItems(readRlpItems(payload)[0]?.items[0]?.items[1]?.bytes ?? Buffer.alloc(0))
  const difficulty = body?.items[3]
  return difficulty !== undefined && signedBytesToBigInt(difficulty.bytes) < 0n
}

function typeNumberOf(payload: Buffer): number | undefined {
  const [envelope] = readRlpItems(payload)
  return envelope?.items[0]?.items[0]?.bytes[0]
}

/** Whether reading fails as it must: with the error of the room, not with another. */
function isRefused(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch (error) {
    if (error instanceof P2pError) return true
    throw error
  }
}
