import { createHash, randomBytes } from 'node:crypto'

/** Prefix of every secret of an API key, by which leaked ones are recognised. */
export const SECRET_PREFIX = 'rhz_'

const SECRET_BYTES = 32
const ID_BYTES = 5

/** A new secret: the prefix and 32 random bytes in base64url. */
export function createSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** SHA-256 of a secret, its stored form: 32 bytes. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest()
}

/** A new id of a key. */
export function createKeyId(): string {
  return `key-${randomBytes(ID_BYTES).toString('hex')}`
}
