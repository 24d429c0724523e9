import { itemAt } from '../../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList, encodeUnsigned } from '../../chain/codec/rlpWriter.ts'
import { P2pError } from '../wire/p2pError.ts'
import { ANNOUNCEMENT_FORMS } from './announcementForms.ts'
import type { BodyForm } from './bodies.ts'
import { FRAME_CODES } from './codes.ts'
import { decoding, MAX_FIELDS, numberOf, readList } from './fields.ts'
import { RANGE_FORMS } from './rangeForms.ts'
import { REQUEST_FORMS } from './requestForms.ts'
import { RESPONSE_FORMS } from './responseForms.ts'
import type { PeerMessage } from './rskMessage.ts'

/** A message as it goes into a frame. */
export interface EncodedMessage {
  /** Absolute code of the frame. */
  readonly code: number
  readonly payload: Buffer
}

const RSK_FORMS = { ...ANNOUNCEMENT_FORMS, ...REQUEST_FORMS, ...RESPONSE_FORMS }

type AnyForm = BodyForm<PeerMessage>

const RSK_FORM_BY_NUMBER = byNumber(RSK_FORMS)
const RANGE_FORM_BY_NUMBER = byNumber(RANGE_FORMS)

/** A message as code and payload of a frame: RSK_MESSAGE (p2p.md §4), or that of the capability of our own. */
export function encodePeerMessage(message: PeerMessage): EncodedMessage {
  const isRange = message.type in RANGE_FORMS
  const forms: Readonly<Record<string, unknown>> = isRange ? RANGE_FORMS : RSK_FORMS
  const form = forms[message.type] as AnyForm
  const body = encodeBytes(form.encode(message))
  return {
    code: isRange ? FRAME_CODES.rangeMessage : FRAME_CODES.rskMessage,
    payload: encodeList([encodeList([encodeUnsigned(form.number), body])]),
  }
}

/**
 * The message in the payload of a frame.
 * @param code RSK_MESSAGE or that of ranges
 * @throws P2pError MESSAGE for another code, a type that does not exist, or what does not decode
 */
export function decodePeerMessage(code: number, payload: Buffer): PeerMessage {
  const forms = formsOf(code)
  return decoding(`code ${code}`, () => {
    const fields = itemAt(readList(payload, MAX_FIELDS), 0).itemsUpTo(MAX_FIELDS)
    const number = numberOf(itemAt(fields, 0))
    const form = forms.get(number)
    if (form === undefined) throw new P2pError('MESSAGE', `no message has type ${number}`)
    const body = itemAt(fields, 1).bytes
    return decoding(`type ${number}`, () => form.decode(body))
  })
}

function formsOf(code: number): ReadonlyMap<number, AnyForm> {
  if (code === FRAME_CODES.rskMessage) return RSK_FORM_BY_NUMBER
  if (code === FRAME_CODES.rangeMessage) return RANGE_FORM_BY_NUMBER
  throw new P2pError('MESSAGE', `code ${code} carries no such message`)
}

function byNumber(forms: Readonly<Record<string, unknown>>): ReadonlyMap<number, AnyForm> {
  return new Map((Object.values(forms) as AnyForm[]).map((form) => [form.number, form]))
}
