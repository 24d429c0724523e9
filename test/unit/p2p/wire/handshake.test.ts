import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { createNodeKey, nodeKeyOf, recoverNodeId, sharedX, sign } from '../../../../src/p2p/wire/curve.ts'
import { eciesDecrypt } from '../../../../src/p2p/wire/ecies.ts'
import {
  createFreshSecrets,
  readAck,
  readAuth,
  writeAck,
  writeAuth,
} from '../../../../src/p2p/wire/handshake.ts'
import { P2pError } from '../../../../src/p2p/wire/p2pError.ts'
import {
  OLD_ACK_BYTES,
  OLD_AUTH_BYTES,
  type PacketForm,
  PacketReader,
  type ReadPacket,
} from '../../../../src/p2p/wire/packetReader.ts'
import { createFrameKeys } from '../../../../src/p2p/wire/secrets.ts'

const FORMS: readonly PacketForm[] = ['eip8', 'old']
const initiator = createNodeKey(randomBytes)
const responder = createNodeKey(randomBytes)

t.test('both sides come to the same keys', (t) => {
  for (const form of FORMS) {
    const ours = createFreshSecrets(randomBytes)
    const theirs = createFreshSecrets(randomBytes)
    const auth = writeAuth(initiator, ours, responder.id, form)
    const heard = readAuth(read(auth), responder)
    t.strictSame(heard.id, initiator.id)
    const ack = writeAck(theirs, heard.id, form)
    const answer = readAck(new PacketReader(initiator.privateKey, OLD_ACK_BYTES).push(ack) as ReadPacket)
    const one = createFrameKeys('initiator', ours, answer, { auth, ack })
    const other = createFrameKeys('responder', theirs, heard, { auth, ack })
    t.strictSame(one.aes, other.aes)
    t.strictSame(one.egress.digest, other.ingress.digest)
    t.strictSame(one.ingress.digest, other.egress.digest)
    t.notSame(one.egress.digest, one.ingress.digest)
  }
  t.end()
})

t.test('packets may come byte by byte, and what follows them is kept', (t) => {
  for (const form of FORMS) {
    const auth = writeAuth(initiator, createFreshSecrets(randomBytes), responder.id, form)
    const reader = new PacketReader(responder.privateKey, OLD_AUTH_BYTES)
    for (const byte of auth.subarray(0, -1)) t.equal(reader.push(Buffer.from([byte])), null)
    const last = reader.push(Buffer.concat([auth.subarray(-1), Buffer.from('behind')]))
    t.equal(last?.form, form)
    t.equal(last?.rest.toString(), 'behind')
    t.strictSame(last?.packet, auth)
  }
  t.end()
})

t.test('a size that looks like the beginning of the old form is a size', (t) => {
  const fresh = { ...createFreshSecrets(randomBytes), padding: Buffer.alloc(0x340) }
  const auth = writeAuth(initiator, fresh, responder.id, 'eip8')
  t.equal(auth[0], 0x04)
  for (const cut of [1, 200, 307, 308, auth.length]) {
    const reader = new PacketReader(responder.privateKey, OLD_AUTH_BYTES)
    const whole = reader.push(auth.subarray(0, cut)) ?? reader.push(auth.subarray(cut))
    t.strictSame(readAuth(whole as ReadPacket, responder).id, initiator.id, `cut at ${cut}`)
  }
  t.end()
})

t.test('an auth for another node is refused', (t) => {
  for (const form of FORMS) {
    const auth = writeAuth(initiator, createFreshSecrets(randomBytes), createNodeKey(randomBytes).id, form)
    t.throws(() => readWithMore(auth), { code: 'HANDSHAKE' })
  }
  t.end()
})

t.test('no byte of an auth can be changed', (t) => {
  for (const form of FORMS) {
    const auth = writeAuth(initiator, createFreshSecrets(randomBytes), responder.id, form)
    for (let at = 0; at < auth.length; at += 7) {
      const changed = Buffer.from(auth)
      changed[at] = (changed[at] ?? 0) ^ 1
      t.throws(() => readAuth(readWithMore(changed), responder), P2pError, `${form} ${at}`)
    }
  }
  t.end()
})

t.test('sizes out of range are refused at once', (t) => {
  for (const size of [0, 306, 0x8000, 0xffff]) {
    const packet = Buffer.alloc(2)
    packet.writeUInt16BE(size)
    const reader = new PacketReader(responder.privateKey, OLD_AUTH_BYTES)
    t.throws(() => reader.push(packet), { code: 'HANDSHAKE' }, `${size}`)
  }
  t.end()
})

t.test('any bytes are waited for or refused, never more', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
      try {
        new PacketReader(responder.privateKey, OLD_AUTH_BYTES).push(Buffer.from(bytes))
      } catch (error) {
        if (!(error instanceof P2pError)) throw error
      }
    }),
  )
  t.end()
})

t.test('what is encrypted well and says nothing is refused', (t) => {
  const fresh = createFreshSecrets(randomBytes)
  const plains = [Buffer.alloc(0), Buffer.from([0xc0]), Buffer.from('c4808080ff', 'hex'), randomBytes(200)]
  for (const plain of plains) {
    const packet = { form: 'eip8', plain, packet: plain, rest: plain } as const
    t.throws(() => readAuth(packet, responder), { code: 'HANDSHAKE' })
    t.throws(() => readAck(packet), { code: 'HANDSHAKE' })
  }
  t.throws(() => eciesDecrypt(Buffer.alloc(50), responder.privateKey, Buffer.alloc(0)), { code: 'HANDSHAKE' })
  t.throws(() => writeAuth(initiator, fresh, Buffer.alloc(64), 'eip8'), { code: 'HANDSHAKE' })
  t.end()
})

t.test('an auth signed by a key other than it says is refused', (t) => {
  const fresh = createFreshSecrets(randomBytes)
  const other = { ...fresh, ephemeral: { ...fresh.ephemeral, id: createNodeKey(randomBytes).id } }
  const auth = writeAuth(initiator, other, responder.id, 'old')
  t.throws(() => readAuth(read(auth), responder), { code: 'HANDSHAKE' })
  t.end()
})

t.test('signatures give back who made them', (t) => {
  const hash = randomBytes(32)
  const signature = sign(hash, initiator.privateKey)
  t.strictSame(recoverNodeId(hash, signature), initiator.id)
  t.notSame(recoverNodeId(randomBytes(32), signature), initiator.id)
  t.equal(recoverNodeId(hash, Buffer.alloc(65)), null)
  t.equal(recoverNodeId(hash, Buffer.concat([signature.subarray(0, 64), Buffer.from([2])])), null)
  t.equal(recoverNodeId(hash, signature.subarray(0, 64)), null)
  t.end()
})

t.test('keys: the same secret on both sides, none of a point off the curve, none of zero', (t) => {
  t.strictSame(sharedX(initiator.privateKey, responder.id), sharedX(responder.privateKey, initiator.id))
  t.throws(() => sharedX(initiator.privateKey, Buffer.alloc(64, 1)), { code: 'HANDSHAKE' })
  const given = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 1)]
  t.strictSame(
    createNodeKey(() => given.shift() ?? Buffer.alloc(32)),
    nodeKeyOf(Buffer.alloc(32, 1)),
  )
  t.end()
})

function read(auth: Buffer): ReadPacket {
  const packet = new PacketReader(responder.privateKey, OLD_AUTH_BYTES).push(auth)
  if (packet === null) throw new Error('the packet is not whole')
  return packet
}

/** The packet is followed by so many bytes that it is whole whatever its size says. */
function readWithMore(auth: Buffer): ReadPacket {
  return read(Buffer.concat([auth, Buffer.alloc(0x8000)]))
}
