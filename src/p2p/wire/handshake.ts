import { timingSafeEqual } from 'node:crypto'
import { itemAt } from '../../chain/codec/rlpReader.ts'
import { encodeStrings } from '../../chain/codec/rlpWriter.ts'
import { keccak256 } from '../../native/crypto.ts'
import { EMPTY_BYTES } from '../../util/bytes.ts'
import { decoding, fixedOf, MAX_FIELDS, readList } from '../messages/fields.ts'
import {
  createNodeKey,
  NODE_ID_BYTES,
  type NodeKey,
  recoverNodeId,
  SIGNATURE_BYTES,
  sharedX,
  sign,
} from './curve.ts'
import { ECIES_OVERHEAD, type EciesSecrets, eciesEncrypt, IV_BYTES } from './ecies.ts'
import { P2pError } from './p2pError.ts'
import {
  OLD_ACK_BYTES,
  OLD_AUTH_BYTES,
  type PacketForm,
  type ReadPacket,
  SIZE_BYTES,
} from './packetReader.ts'

/** Version of the handshake (p2p.md §2). */
const HANDSHAKE_VERSION = 4
const NONCE_BYTES = 32
const HASH_BYTES = 32
/** Random bytes behind the list in the form of EIP-8: so many and up to 199 more. */
const MIN_PADDING_BYTES = 100
const PADDING_CHOICES = 200

/** Gives that many random bytes. */
export type Random = (length: number) => Buffer

/** The secrets that one side makes up for one handshake. */
export interface FreshSecrets {
  readonly ephemeral: NodeKey
  readonly nonce: Buffer
  readonly ecies: EciesSecrets
  /** Bytes behind the list in the form of EIP-8. */
  readonly padding: Buffer
}

/** The data that one side of a handshake needs of its end, and of the other. */
export interface Handshake {
  readonly ephemeralId: Buffer
  readonly nonce: Buffer
}

/** The contents of an auth. */
export interface Auth extends Handshake {
  /** Node id of who dials: 64 bytes. */
  readonly id: Buffer
}

/** Secrets for one handshake. */
export function createFreshSecrets(random: Random): FreshSecrets {
  return {
    ephemeral: createNodeKey(random),
    nonce: random(NONCE_BYTES),
    ecies: { key: createNodeKey(random), iv: random(IV_BYTES) },
    padding: random(MIN_PADDING_BYTES + (random(4).readUInt32BE(0) % PADDING_CHOICES)),
  }
}

/** The auth packet: to be written in one piece (p2p.md §2). @throws P2pError HANDSHAKE for an id that is no key */
export function writeAuth(local: NodeKey, fresh: FreshSecrets, remoteId: Buffer, form: PacketForm): Buffer {
  const { ephemeral, nonce } = fresh
  const token = sharedX(local.privateKey, remoteId)
  const signature = sign(xor(token, nonce), ephemeral.privateKey)
  const plain =
    form === 'eip8'
      ? encodeStrings([signature, local.id, nonce, HANDSHAKE_VERSION])
      : Buffer.concat([signature, keccak256(ephemeral.id), local.id, nonce, Buffer.alloc(1)])
  return encrypt(plain, fresh, remoteId, form)
}

/** The ack packet, in the form of the auth: to be written in one piece. */
export function writeAck(fresh: FreshSecrets, remoteId: Buffer, form: PacketForm): Buffer {
  const { ephemeral, nonce } = fresh
  const plain =
    form === 'eip8'
      ? encodeStrings([ephemeral.id, nonce, HANDSHAKE_VERSION])
      : Buffer.concat([ephemeral.id, nonce, Buffer.alloc(1)])
  return encrypt(plain, fresh, remoteId, form)
}

/** @throws P2pError HANDSHAKE for an auth that is malformed or signed by nobody */
export function readAuth(packet: ReadPacket, local: NodeKey): Auth {
  const { signature, id, nonce, ephemeralHash } = authFields(packet)
  const ephemeralId = recoverNodeId(xor(sharedX(local.privateKey, id), nonce), signature)
  if (ephemeralId === null) throw new P2pError('HANDSHAKE', 'an auth that no key signed')
  if (ephemeralHash !== null && !timingSafeEqual(keccak256(ephemeralId), ephemeralHash)) {
    throw new P2pError('HANDSHAKE', 'an auth whose ephemeral key is another')
  }
  return { id, nonce, ephemeralId }
}

/** @throws P2pError HANDSHAKE */
export function readAck(packet: ReadPacket): Handshake {
  const { plain, form } = packet
  if (form === 'old') {
    return {
      ephemeralId: plain.subarray(0, NODE_ID_BYTES),
      nonce: plain.subarray(NODE_ID_BYTES, OLD_ACK_BYTES - 1),
    }
  }
  return decodingHandshake('ack', () => {
    const fields = readList(plain, MAX_FIELDS)
    return {
      ephemeralId: fixedOf(itemAt(fields, 0), NODE_ID_BYTES),
      nonce: fixedOf(itemAt(fields, 1), NONCE_BYTES),
    }
  })
}

/** Bytes of both, each the exclusive or of theirs. They have the same length. */
export function xor(left: Buffer, right: Buffer): Buffer {
  const result = Buffer.allocUnsafe(left.length)
  for (let i = 0; i < left.length; i += 1) result[i] = (left[i] ?? 0) ^ (right[i] ?? 0)
  return result
}

interface AuthFields {
  readonly signature: Buffer
  readonly id: Buffer
  readonly nonce: Buffer
  readonly ephemeralHash: Buffer | null
}

function authFields({ plain, form }: ReadPacket): AuthFields {
  if (form === 'old') {
    const hashEnd = SIGNATURE_BYTES + HASH_BYTES
    const idEnd = hashEnd + NODE_ID_BYTES
    return {
      signature: plain.subarray(0, SIGNATURE_BYTES),
      ephemeralHash: plain.subarray(SIGNATURE_BYTES, hashEnd),
      id: plain.subarray(hashEnd, idEnd),
      nonce: plain.subarray(idEnd, OLD_AUTH_BYTES - 1),
    }
  }
  return decodingHandshake('auth', () => {
    const fields = readList(plain, MAX_FIELDS)
    return {
      signature: fixedOf(itemAt(fields, 0), SIGNATURE_BYTES),
      id: fixedOf(itemAt(fields, 1), NODE_ID_BYTES),
      nonce: fixedOf(itemAt(fields, 2), NONCE_BYTES),
      ephemeralHash: null,
    }
  })
}

function encrypt(plain: Buffer, fresh: FreshSecrets, remoteId: Buffer, form: PacketForm): Buffer {
  if (form === 'old') return eciesEncrypt(plain, remoteId, fresh.ecies, EMPTY_BYTES)
  const padded = Buffer.concat([plain, fresh.padding])
  const size = Buffer.alloc(SIZE_BYTES)
  size.writeUInt16BE(padded.length + ECIES_OVERHEAD)
  return Buffer.concat([size, eciesEncrypt(padded, remoteId, fresh.ecies, size)])
}

function decodingHandshake<T>(what: string, decode: () => T): T {
  try {
    return decoding(what, decode)
  } catch (cause) {
    if (!(cause instanceof P2pError)) throw cause
    throw new P2pError('HANDSHAKE', cause.message, { cause })
  }
}
