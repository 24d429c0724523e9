import { disconnectReasonName, FRAME_CODES } from '../messages/codes.ts'
import {
  ACCEPTED_P2P_VERSIONS,
  decodeHello,
  encodeHello,
  type Hello,
  hasCapability,
  P2P_VERSION,
  RSK_CAPABILITY,
} from '../messages/hello.ts'
import { decodeDisconnect } from '../messages/p2pMessages.ts'
import { FrameReader } from '../wire/frameReader.ts'
import { FrameWriter } from '../wire/frameWriter.ts'
import { createFreshSecrets, readAck, readAuth, writeAck, writeAuth } from '../wire/handshake.ts'
import { P2pError } from '../wire/p2pError.ts'
import { OLD_ACK_BYTES, OLD_AUTH_BYTES, PacketReader, type ReadPacket } from '../wire/packetReader.ts'
import { createFrameKeys, type FrameKeys } from '../wire/secrets.ts'
import type { ConnectionOptions } from './connectionOptions.ts'
import type { HandshakeSocket } from './handshakeSocket.ts'

/** Largest frame before HELLO, bytes. */
const MAX_HELLO_BYTES = 8192

/** Both directions of a connection after the handshake. */
export interface RlpxSession {
  readonly remoteId: Buffer
  readonly reader: FrameReader
  readonly writer: FrameWriter
  readonly hello: Hello
}

/**
 * The handshake of the initiator: auth, ack, HELLO at once, HELLO of the other end (p2p.md §3 Order).
 * @param remoteId 64 bytes, the expected node id
 * @throws P2pError
 */
export async function initiate(
  io: HandshakeSocket,
  remoteId: Buffer,
  options: ConnectionOptions,
): Promise<RlpxSession> {
  const fresh = createFreshSecrets(options.random)
  const auth = writeAuth(options.key, fresh, remoteId, 'eip8')
  io.socket.write(auth)
  const ack = await readPacket(io, new PacketReader(options.key.privateKey, OLD_ACK_BYTES))
  const keys = createFrameKeys('initiator', fresh, readAck(ack), { auth, ack: ack.packet })
  const { reader, writer } = frames(keys, ack.rest)
  io.socket.write(writer.write(FRAME_CODES.hello, helloOf(options)))
  const hello = await readHello(io, reader)
  checkHello(hello)
  return { remoteId, reader, writer, hello }
}

/**
 * The handshake of the recipient: HELLO only after that of the other end (p2p.md §3 Order).
 * @throws P2pError
 */
export async function respond(io: HandshakeSocket, options: ConnectionOptions): Promise<RlpxSession> {
  const auth = await readPacket(io, new PacketReader(options.key.privateKey, OLD_AUTH_BYTES))
  const remote = readAuth(auth, options.key)
  const fresh = createFreshSecrets(options.random)
  const ack = writeAck(fresh, remote.id, auth.form)
  const keys = createFrameKeys('responder', fresh, remote, { auth: auth.packet, ack })
  io.socket.write(ack)
  const { reader, writer } = frames(keys, auth.rest)
  const hello = await readHello(io, reader)
  io.socket.write(writer.write(FRAME_CODES.hello, helloOf(options)))
  checkHello(hello)
  // A view of it would retain the whole packet.
  return { remoteId: Buffer.from(remote.id), reader, writer, hello }
}

async function readPacket(io: HandshakeSocket, reader: PacketReader): Promise<ReadPacket> {
  for (;;) {
    const read = reader.push(await io.read())
    if (read !== null) return read
  }
}

function frames(keys: FrameKeys, rest: Buffer): Pick<RlpxSession, 'reader' | 'writer'> {
  const reader = new FrameReader(keys.aes, keys.ingress, MAX_HELLO_BYTES)
  reader.push(rest)
  return { reader, writer: new FrameWriter(keys.aes, keys.egress) }
}

async function readHello(io: HandshakeSocket, reader: FrameReader): Promise<Hello> {
  for (;;) {
    const frame = reader.next()
    if (frame === null) {
      reader.push(await io.read())
      continue
    }
    if (frame.code === FRAME_CODES.hello) return decodeHello(frame.payload)
    if (frame.code === FRAME_CODES.disconnect) {
      const disconnectReason = decodeDisconnect(frame.payload)
      const message = `it does not want to be connected: ${disconnectReasonName(disconnectReason)}`
      throw new P2pError('ENDED', message, { disconnectReason })
    }
    throw new P2pError('MESSAGE', `code ${frame.code} before HELLO`)
  }
}

function helloOf({ client, capabilities, listenPort, key }: ConnectionOptions): Buffer {
  return encodeHello({ p2pVersion: P2P_VERSION, client, capabilities, listenPort, nodeId: key.id })
}

/** The node id in it is ignored: auth or ack has proved who the other end is. */
function checkHello({ p2pVersion, capabilities }: Hello): void {
  if (!ACCEPTED_P2P_VERSIONS.has(p2pVersion)) {
    throw new P2pError('INCOMPATIBLE', `it speaks version ${p2pVersion}`)
  }
  if (!hasCapability(capabilities, RSK_CAPABILITY)) {
    throw new P2pError('INCOMPATIBLE', `it does not have ${RSK_CAPABILITY.name}/${RSK_CAPABILITY.version}`)
  }
}
