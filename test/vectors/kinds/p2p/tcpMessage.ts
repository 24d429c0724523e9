import { FRAME_CODES, USED_CODES } from '../../../../src/p2p/messages/codes.ts'
import { decodeEthStatus, encodeEthStatus } from '../../../../src/p2p/messages/ethStatus.ts'
import { decodeHello, encodeHello } from '../../../../src/p2p/messages/hello.ts'
import {
  decodeDisconnect,
  decodePeers,
  EMPTY_PAYLOAD,
  encodeDisconnect,
  encodePeers,
  GET_PEERS_PAYLOAD,
} from '../../../../src/p2p/messages/p2pMessages.ts'
import { decodePeerMessage, encodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import { P2pError } from '../../../../src/p2p/wire/p2pError.ts'
import {
  fromRecorded,
  peerMessageFromRecorded,
  peerMessageToRecorded,
  type Recorded,
  recordedReasonName,
  toRecorded,
} from './recordedForm.ts'

/** How messages of a frame code are read and written, as recorded. */
interface TcpForm {
  decode(payload: Buffer): Recorded
  encode(recorded: Recorded, name: string): Buffer
}

const FORMS: Readonly<Record<number, TcpForm>> = {
  [FRAME_CODES.hello]: {
    decode: (payload) => toRecorded(decodeHello(payload)),
    encode: (recorded) => encodeHello(fromRecorded(recorded)),
  },
  [FRAME_CODES.disconnect]: {
    decode: (payload) => {
      const reason = decodeDisconnect(payload)
      return { reason, reasonName: recordedReasonName(reason) }
    },
    encode: ({ reason }) => encodeDisconnect(Number(reason)),
  },
  [FRAME_CODES.ping]: emptyForm(EMPTY_PAYLOAD),
  [FRAME_CODES.pong]: emptyForm(EMPTY_PAYLOAD),
  [FRAME_CODES.getPeers]: emptyForm(GET_PEERS_PAYLOAD),
  [FRAME_CODES.peers]: {
    decode: (payload) => toRecorded({ peers: decodePeers(payload) }),
    encode: (recorded) =>
      encodePeers(fromRecorded<{ peers: ReturnType<typeof decodePeers> }>(recorded).peers),
  },
  [FRAME_CODES.ethStatus]: {
    decode: (payload) => toRecorded(decodeEthStatus(payload)),
    encode: (recorded) => encodeEthStatus(fromRecorded(recorded)),
  },
  [FRAME_CODES.rskMessage]: {
    decode: (payload) => peerMessageToRecorded(decodePeerMessage(FRAME_CODES.rskMessage, payload)),
    encode: (recorded, name) => encodePeerMessage(peerMessageFromRecorded(name, recorded)).payload,
  },
}

/** What a payload says, as recorded. @throws P2pError for what the node refuses, also a code that it does not use */
export function decodeTcp(code: number, payload: Buffer): Recorded {
  return formOf(code).decode(payload)
}

/** Payload of a recorded message. */
export function encodeTcp(code: number, name: string, recorded: Recorded): Buffer {
  return formOf(code).encode(recorded, name)
}

function formOf(code: number): TcpForm {
  if (!USED_CODES.has(code)) throw new P2pError('MESSAGE', `nobody uses code ${code}`)
  const form = FORMS[code]
  if (form === undefined) throw new Error(`no messages have code ${code}`)
  return form
}

function emptyForm(payload: Buffer): TcpForm {
  return {
    decode: (found) => (found.equals(payload) ? {} : { payload: found.toString('hex') }),
    encode: () => payload,
  }
}
