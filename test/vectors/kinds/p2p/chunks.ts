import { readRlpItems } from '../../../../src/chain/codec/rlpReader.ts'
import { decodePeerMessage, encodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import { bytesToBigInt } from '../../../../src/util/bytes.ts'
import type { CaseValues } from '../../comparison.ts'
import type { MessageLine } from './lines.ts'

/**
 * A message in several frames, which comes only to who announces version 5 (p2p.md §2): the first one says how long
 * all are together, and joined they are the message.
 */
export function compareChunks(vector: MessageLine, values: CaseValues): void {
  const chunks = vector.chunks ?? []
  const payload = Buffer.from(vector.payload, 'hex')
  const joined = Buffer.concat(chunks.map(({ bodyPayload }) => Buffer.from(bodyPayload, 'hex')))
  values.equal('joined', payload, joined)
  const headers = chunks.map(({ headerData }) => numbersOf(headerData))
  values.equal('total', headers[0]?.[2], payload.length)
  values.equal('are several', true, chunks.length > 1)
  for (const [index, header] of headers.entries()) {
    values.equal('fields', index === 0 ? 3 : 2, header.length)
    values.equal('context', headers[0]?.[1], header[1])
    values.equal('code', vector.code, chunks[index]?.code)
  }
  const code = vector.code ?? -1
  values.equal('encoded', payload, encodePeerMessage(decodePeerMessage(code, payload)).payload)
}

function numbersOf(headerData: string): number[] {
  const [list] = readRlpItems(Buffer.from(headerData, 'hex'))
  return list?.items.map(({ bytes }) => Number(bytesToBigInt(bytes))) ?? []
}
