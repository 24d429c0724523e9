import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type NodeKey, sharedX, UNCOMPRESSED } from './curve.ts'
import { P2pError } from './p2pError.ts'

const KEY_AT = 1
const IV_AT = 65
const CIPHER_AT = 81
const TAG_BYTES = 32
const CIPHER = 'aes-128-ctr'
/** Counter of the only round that the key derivation needs for 32 bytes. */
const FIRST_ROUND = Buffer.from([0, 0, 0, 1])
const HALF_KEY_BYTES = 16

/** Bytes that the encryption adds: point 65, iv 16, tag 32 (p2p.md §2). */
export const ECIES_OVERHEAD: number = CIPHER_AT + TAG_BYTES

/** Bytes of an iv. */
export const IV_BYTES = 16

/** The secrets that make an encryption differ from every other: used once. */
export interface EciesSecrets {
  readonly key: NodeKey
  readonly iv: Buffer
}

/**
 * Encrypts for a node id (p2p.md §2).
 * @param id 64 bytes of who can read it
 * @param prefix bytes that are sent before it and covered by its tag
 * @throws P2pError HANDSHAKE when the id is no public key
 */
export function eciesEncrypt(plain: Buffer, id: Buffer, secrets: EciesSecrets, prefix: Buffer): Buffer {
  const { key, iv } = secrets
  const { cipherKey, tagKey } = deriveKeys(sharedX(key.privateKey, id))
  const encrypted = createCipheriv(CIPHER, cipherKey, iv).update(plain)
  const tag = tagOf(tagKey, iv, encrypted, prefix)
  return Buffer.concat([Buffer.from([UNCOMPRESSED]), key.id, iv, encrypted, tag])
}

/**
 * @param prefix bytes that came before it
 * @throws P2pError HANDSHAKE when it was made for another key, or changed
 */
export function eciesDecrypt(bytes: Buffer, privateKey: Buffer, prefix: Buffer): Buffer {
  if (bytes.length < ECIES_OVERHEAD || bytes[0] !== UNCOMPRESSED) {
    throw new P2pError('HANDSHAKE', 'these bytes are not encrypted as a handshake is')
  }
  const tagAt = bytes.length - TAG_BYTES
  const iv = bytes.subarray(IV_AT, CIPHER_AT)
  const encrypted = bytes.subarray(CIPHER_AT, tagAt)
  const { cipherKey, tagKey } = deriveKeys(sharedX(privateKey, bytes.subarray(KEY_AT, IV_AT)))
  if (!timingSafeEqual(tagOf(tagKey, iv, encrypted, prefix), bytes.subarray(tagAt))) {
    throw new P2pError('HANDSHAKE', 'made for another key, or changed on its way')
  }
  return createDecipheriv(CIPHER, cipherKey, iv).update(encrypted)
}

function deriveKeys(shared: Buffer): { readonly cipherKey: Buffer; readonly tagKey: Buffer } {
  const key = createHash('sha256').update(FIRST_ROUND).update(shared).digest()
  return {
    cipherKey: key.subarray(0, HALF_KEY_BYTES),
    tagKey: createHash('sha256').update(key.subarray(HALF_KEY_BYTES)).digest(),
  }
}

function tagOf(key: Buffer, iv: Buffer, encrypted: Buffer, prefix: Buffer): Buffer {
  return createHmac('sha256', key).update(iv).update(encrypted).update(prefix).digest()
}
