import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import type { Keystore } from '@chainsafe/bls-keystore'
import { type ScryptCost, STANDARD_SCRYPT } from '../wallet/secretStorage/cipher.ts'
import { assertRounds, assertScryptBounds } from '../wallet/secretStorage/deriveKey.ts'
import { SECRET_KEY_BYTES, SignerKey } from './blsKeys.ts'
import { messageOf, SnapshotError } from './errors.ts'

const PRIVATE_FILE = 0o600
const MAX_FILE_BYTES = 64 * 1024
const DERIVED_BYTES = 32
const SALT_BYTES = 32

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
  let file: Keystore
  try {
    const { Keystore } = await import('@chainsafe/bls-keystore')
    const text = await readFile(path)
    if (text.length > MAX_FILE_BYTES) throw new RangeError('it is too long')
    file = Keystore.parse(text.toString('utf8'))
  } catch (error) {
    throw unreadable(path, messageOf(error), error)
  }
  try {
    return await decrypt(file, passphrase)
  } catch (error) {
    throw unreadable(path, messageOf(error), error)
  }
}

async function encrypt(key: SignerKey, passphrase: string, cost: ScryptCost): Promise<string> {
  // Loaded when a key file is read or written: no node does.
  const { Keystore } = await import('@chainsafe/bls-keystore')
  const secret = key.toBytes()
  const kdf = {
    function: 'scrypt',
    params: { dklen: DERIVED_BYTES, ...cost, salt: randomBytes(SALT_BYTES).toString('hex') },
  } as const
  const publicKey = Buffer.from(key.publicKey, 'hex')
  const file = await Keystore.create(passphrase, secret, publicKey, '', 'signs snapshots', kdf)
  secret.fill(0)
  return `${JSON.stringify(file.toObject(), null, 1)}\n`
}

async function decrypt(file: Keystore, passphrase: string): Promise<SignerKey> {
  const { kdf } = file.crypto
  if (kdf.function === 'scrypt') {
    const { n, r, p } = kdf.params
    assertScryptBounds({ n, r, p })
  } else assertRounds(kdf.params.c)
  const secret = Buffer.from(await file.decrypt(passphrase).catch(explain))
  if (secret.length !== SECRET_KEY_BYTES) throw new TypeError('it holds no key of 32 bytes')
  const key = SignerKey.fromBytes(secret)
  secret.fill(0)
  if (key.publicKey !== file.pubkey) throw new TypeError('its key is another than the one it names')
  return key
}

function explain(error: unknown): never {
  const isWrong = messageOf(error) === 'Invalid password'
  throw isWrong ? new TypeError('the passphrase does not open it', { cause: error }) : error
}

function unreadable(path: string, reason: string, cause: unknown): SnapshotError {
  return new SnapshotError('SNAPSHOT_SOURCE', `key file ${path}: ${reason}`, { cause })
}
