import { keccak256, publicKeyOf } from '../../../../src/native/crypto.ts'
import { type NodeKey, nodeKeyOf, sharedX } from '../../../../src/p2p/wire/curve.ts'
import { FrameReader } from '../../../../src/p2p/wire/frameReader.ts'
import { FrameWriter } from '../../../../src/p2p/wire/frameWriter.ts'
import {
  type FreshSecrets,
  readAck,
  readAuth,
  writeAck,
  writeAuth,
} from '../../../../src/p2p/wire/handshake.ts'
import {
  OLD_ACK_BYTES,
  OLD_AUTH_BYTES,
  type PacketForm,
  PacketReader,
  type ReadPacket,
} from '../../../../src/p2p/wire/packetReader.ts'
import { createFrameKeys, deriveSecrets, type FrameKeys } from '../../../../src/p2p/wire/secrets.ts'
import type { CaseValues, Comparison } from '../../comparison.ts'

interface Side {
  readonly staticKey: string
  readonly nodeId: string
  readonly ephemeralKey: string
  readonly ephemeralId: string
  readonly nonce: string
  readonly ecies: { readonly key: string; readonly iv: string; readonly padding: string }
}

interface HandshakeLine {
  readonly kind: 'handshake'
  readonly name: string
  readonly form: PacketForm
  readonly initiator: Side
  readonly responder: Side
  readonly auth: string
  readonly ack: string
  readonly secrets: Readonly<Record<'ecdhe' | 'shared' | 'aes' | 'mac' | 'token', string>>
  readonly macState: { readonly initiatorEgressDigest: string; readonly initiatorIngressDigest: string }
  readonly frames: readonly FrameLine[]
}

interface FrameLine {
  readonly dir: 'i>r' | 'r>i'
  readonly code: number
  readonly payload: string
  readonly frame: string
  readonly macDigestAfter: string
}

/** p2p-handshake.jsonl: both packets, the secrets, the MACs and every frame, made and read by either side. */
export async function compareHandshakes(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  for await (const line of lines) {
    const vector = line as HandshakeLine
    comparison.case(vector.name ?? 'unknown', (values) => {
      if (vector.kind !== 'handshake') throw new Error(`unknown kind ${String(vector.kind)}`)
      compareHandshake(vector, values)
    })
  }
}

function compareHandshake(vector: HandshakeLine, values: CaseValues): void {
  const initiator = sideOf(vector.initiator)
  const responder = sideOf(vector.responder)
  for (const [name, side] of [
    ['initiator', vector.initiator],
    ['responder', vector.responder],
  ] as const) {
    values.equal(`${name} id`, side.nodeId, publicKeyOf(bytes(side.staticKey)).toString('hex'))
    values.equal(
      `${name} ephemeral id`,
      side.ephemeralId,
      publicKeyOf(bytes(side.ephemeralKey)).toString('hex'),
    )
  }
  const auth = bytes(vector.auth)
  const ack = bytes(vector.ack)
  values.equal('auth', auth, writeAuth(initiator.key, initiator.fresh, responder.key.id, vector.form))
  values.equal('ack', ack, writeAck(responder.fresh, initiator.key.id, vector.form))

  const readPacketAuth = readWhole(auth, responder.key, OLD_AUTH_BYTES)
  const readPacketAck = readWhole(ack, initiator.key, OLD_ACK_BYTES)
  values.equal('form', vector.form, readPacketAuth.form)
  values.equal('form of the ack', vector.form, readPacketAck.form)
  const receivedAuth = readAuth(readPacketAuth, responder.key)
  const receivedAck = readAck(readPacketAck)
  values.equal('dialler', initiator.key.id, receivedAuth.id)
  values.equal('its ephemeral id', initiator.fresh.ephemeral.id, receivedAuth.ephemeralId)
  values.equal('its nonce', initiator.fresh.nonce, receivedAuth.nonce)
  values.equal('answering ephemeral id', responder.fresh.ephemeral.id, receivedAck.ephemeralId)
  values.equal('answering nonce', responder.fresh.nonce, receivedAck.nonce)
  compareSecrets(vector, initiator.fresh, responder.fresh, values)

  const packets = { auth: readPacketAuth.packet, ack: readPacketAck.packet }
  compareFrames(
    vector,
    () => createFrameKeys('initiator', initiator.fresh, receivedAck, packets),
    () => createFrameKeys('responder', responder.fresh, receivedAuth, packets),
    values,
  )
}

function compareSecrets(
  { secrets }: HandshakeLine,
  initiator: FreshSecrets,
  responder: FreshSecrets,
  values: CaseValues,
): void {
  const ecdhe = sharedX(initiator.ephemeral.privateKey, responder.ephemeral.id)
  const found = deriveSecrets(ecdhe, initiator.nonce, responder.nonce)
  values.equal('ecdhe', bytes(secrets.ecdhe), ecdhe)
  values.equal('shared', bytes(secrets.shared), found.shared)
  values.equal('aes', bytes(secrets.aes), found.aes)
  values.equal('mac', bytes(secrets.mac), found.mac)
  values.equal('token', bytes(secrets.token), keccak256(found.shared))
}

/** Every frame is written by one end and read by the other, in the order of the stream. */
function compareFrames(
  vector: HandshakeLine,
  initiatorKeys: () => FrameKeys,
  responderKeys: () => FrameKeys,
  values: CaseValues,
): void {
  const [initiator, responder] = [initiatorKeys(), responderKeys()]
  const { initiatorEgressDigest, initiatorIngressDigest } = vector.macState
  values.equal('egress of the initiator', bytes(initiatorEgressDigest), initiator.egress.digest)
  values.equal('ingress of the initiator', bytes(initiatorIngressDigest), initiator.ingress.digest)
  values.equal('egress of the responder', bytes(initiatorIngressDigest), responder.egress.digest)
  values.equal('ingress of the responder', bytes(initiatorEgressDigest), responder.ingress.digest)
  const directions = {
    'i>r': { from: initiator, to: responder },
    'r>i': { from: responder, to: initiator },
  }
  const ends = Object.fromEntries(
    Object.entries(directions).map(([direction, { from, to }]) => [
      direction,
      {
        from,
        to,
        writer: new FrameWriter(from.aes, from.egress),
        reader: new FrameReader(to.aes, to.ingress),
      },
    ]),
  )
  for (const [index, { dir, code, payload, frame, macDigestAfter }] of vector.frames.entries()) {
    const end = ends[dir]
    if (end === undefined) throw new Error(`unknown direction ${dir}`)
    values.equal(`frame ${index}`, bytes(frame), end.writer.write(code, bytes(payload)))
    values.equal(`MAC after ${index}`, bytes(macDigestAfter), end.from.egress.digest)
    end.reader.push(bytes(frame))
    const read = end.reader.next()
    values.equal(`code ${index}`, code, read?.code)
    values.equal(`payload ${index}`, bytes(payload), read?.payload)
    values.equal(`MAC after reading ${index}`, bytes(macDigestAfter), end.to.ingress.digest)
  }
}

function sideOf(side: Side): { readonly key: NodeKey; readonly fresh: FreshSecrets } {
  const { ecies } = side
  return {
    key: nodeKeyOf(bytes(side.staticKey)),
    fresh: {
      ephemeral: nodeKeyOf(bytes(side.ephemeralKey)),
      nonce: bytes(side.nonce),
      ecies: { key: nodeKeyOf(bytes(ecies.key)), iv: bytes(ecies.iv) },
      padding: bytes(ecies.padding),
    },
  }
}

function readWhole(packet: Buffer, key: NodeKey, oldLength: number): ReadPacket {
  const read = new PacketReader(key.privateKey, oldLength).push(packet)
  if (read === null) throw new Error('the packet is not whole')
  return read
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}
