import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { type ScryptCost, STANDARD_SCRYPT } from '../wallet/secretStorage/cipher.ts'
import { deriveKey } from '../wallet/secretStorage/deriveKey.ts'
import { SECRET_KEY_BYTES, SignerKey } from './blsKeys.ts'
import { messageOf, SnapshotError } from './errors.ts'

const PRIVATE_FILE = 0o600
const MAX_FILE_BYTES = 64 * 1024
const DERIVED_BYTES = 32
const CIPHER_KEY_BYTES = 16

/**
 * Writes a key to a new file that only its owner can read, encrypted with a passphrase (EIP-2335).
 * @throws SnapshotError `SNAPSHOT_TARGET` when the file exists already
 */
export async function writeSignerKey(
  path: string,
  key: SignerKey,
  passphrase: string,
  cost: ScryptCost = STANDARD_SCRYPT,
): Promise<void> {
  const text = await encrypt(key, passphrase, cost)
  try {
    const file = await open(path, 'wx', PRIVATE_FILE)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new SnapshotError('SNAPSHOT_TARGET', `the key file was not written: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * Reads and decrypts a key file.
 * @throws SnapshotError `SNAPSHOT_SOURCE` when it is unreadable, malformed, or has another passphrase
 */
export async function readSignerKey(path: string, passphrase: string): Promise<SignerKey> {
  let file: KeyFile
  try {
    const text = await readFile(path)
    if (text.length > MAX_FILE_BYTES) throw new RangeError('it is too long')
    file = JSON.parse(text.toString('utf8')) as KeyFile
  } catch (error) {
    throw unreadable(path, messageOf(error), error)
  }
  try {
    return await decrypt(file, passphrase)
  } catch (error) {
    throw unreadable(path, messageOf(error), error)
  }
}

/** The members of EIP-2335, version 4, that are read. */
interface KeyFile {
  readonly version: number
  readonly pubkey: string
  readonly crypto: {
    readonly kdf: {
      readonly function: string
      readonly params: { dklen: number; n: number; p: number; r: number; salt: string }
    }
    readonly checksum: { readonly function: string; readonly message: string }
    readonly cipher: { readonly function: string; readonly params: { iv: string }; readonly message: string }
  }
}

async function encrypt(key: SignerKey, passphrase: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(32)
  const params = { kdf: 'scrypt', ...cost, dklen: DERIVED_BYTES, salt } as const
  const derived = await deriveKey(normalized(passphrase), params)
  const iv = randomBytes(16)
  const secret = key.toBytes()
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, CIPHER_KEY_BYTES), iv)
  const message = Buffer.concat([cipher.update(secret), cipher.final()])
  const checksum = checksumOf(derived, message).toString('hex')
  secret.fill(0)
  derived.fill(0)
  const file = {
    crypto: {
      kdf: {
        function: 'scrypt',
        params: { dklen: DERIVED_BYTES, ...cost, salt: salt.toString('hex') },
        message: '',
      },
      checksum: { function: 'sha256', params: {}, message: checksum },
      cipher: {
        function: 'aes-128-ctr',
        params: { iv: iv.toString('hex') },
        message: message.toString('hex'),
      },
    },
    description: 'signs snapshots',
    pubkey: key.publicKey,
    path: '',
    uuid: randomUUID(),
    version: 4,
  }
  return `${JSON.stringify(file, null, 1)}\n`
}

async function decrypt({ version, pubkey, crypto }: KeyFile, passphrase: string): Promise<SignerKey> {
  const { kdf, checksum, cipher } = crypto
  const known =
    version === 4 &&
    kdf.function === 'scrypt' &&
    checksum.function === 'sha256' &&
    cipher.function === 'aes-128-ctr'
  if (!known) throw new TypeError('a key file of EIP-2335 with scrypt, sha256 and aes-128-ctr expected')
  const { n, r, p, dklen, salt } = kdf.params
  const sizes = [n, r, p, dklen]
  if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0) || dklen !== DERIVED_BYTES) {
    throw new TypeError('the parameters of its scrypt are out of bounds')
  }
  const message = Buffer.from(cipher.message, 'hex')
  if (message.length !== SECRET_KEY_BYTES) throw new TypeError('it holds no key of 32 bytes')
  const derived = await deriveKey(normalized(passphrase), {
    kdf: 'scrypt',
    n,
    r,
    p,
    dklen,
    salt: Buffer.from(salt, 'hex'),
  })
  const expected = Buffer.from(checksum.message, 'hex')
  const found = checksumOf(derived, message)
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) {
    throw new TypeError('the passphrase does not open it')
  }
  const iv = Buffer.from(cipher.params.iv, 'hex')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, CIPHER_KEY_BYTES), iv)
  const secret = Buffer.concat([decipher.update(message), decipher.final()])
  derived.fill(0)
  const key = SignerKey.fromBytes(secret)
  secret.fill(0)
  if (key.publicKey !== pubkey) throw new TypeError('its key is another than the one it names')
  return key
}

/** As in EIP-2335: compatibility decomposition, no control characters. */
function normalized(passphrase: string): string {
  return [...passphrase.normalize('NFKD')].filter((character) => !isControl(character)).join('')
}

function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}

function checksumOf(derived: Buffer, message: Buffer): Buffer {
  return createHash('sha256')
    .update(derived.subarray(CIPHER_KEY_BYTES, DERIVED_BYTES))
    .update(message)
    .digest()
}

function unreadable(path: string, reason: string, cause: unknown): SnapshotError {
  return new SnapshotError('SNAPSHOT_SOURCE', `key file ${path}: ${reason}`, { cause })
}
