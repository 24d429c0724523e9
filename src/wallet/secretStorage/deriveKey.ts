import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { WalletError } from '../errors.ts'
import type { KdfParams, ScryptParams } from './keyFile.ts'

/**
 * Most memory that a key file may ask for, in bytes. The strongest files in use (n = 2^18, r = 8) need a
 * quarter of it.
 */
export const MAXIMUM_SCRYPT_BYTES: number = 1024 ** 3

/** Most mixing of blocks, n × r × p: eight times that of the strongest files in use, some ten seconds. */
export const MAXIMUM_SCRYPT_WORK: number = 2 ** 24

/** Most rounds of PBKDF2, some ten seconds; files in use have up to 2^20. */
export const MAXIMUM_PBKDF2_ROUNDS: number = 2 ** 24

const pbkdf2Async = promisify(pbkdf2)

/**
 * The key that a passphrase stands for, `dklen` bytes. Runs on the threads of node:crypto.
 * @throws WalletError `KEY_FILE` when the parameters ask for more than the bounds above
 */
export async function deriveKey(passphrase: string, params: KdfParams): Promise<Buffer> {
  const secret = Buffer.from(passphrase, 'utf8')
  try {
    if (params.kdf === 'scrypt') return await runScrypt(secret, params)
    assertBounds('rounds (c)', params.c, MAXIMUM_PBKDF2_ROUNDS)
    return await pbkdf2Async(secret, params.salt, params.c, params.dklen, 'sha256')
  } finally {
    secret.fill(0)
  }
}

function runScrypt(secret: Buffer, { n, r, p, dklen, salt }: ScryptParams): Promise<Buffer> {
  assertBounds('bytes of memory', 128 * r * Math.max(n, p), MAXIMUM_SCRYPT_BYTES)
  assertBounds('blocks of work (n × r × p)', n * r * p, MAXIMUM_SCRYPT_WORK)
  // What OpenSSL counts: the table of n, the p blocks and two more.
  const maxmem = 128 * r * (n + p + 2) + 1024
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, dklen, { N: n, r, p, maxmem }, (error, key) => {
      if (error === null) resolve(key)
      else reject(new WalletError('KEY_FILE', `key file: scrypt refuses: ${error.message}`, { cause: error }))
    })
  })
}

function assertBounds(what: string, value: number, maximum: number): void {
  if (value <= maximum) return
  throw new WalletError(
    'KEY_FILE',
    `key file: it asks for ${value} ${what}, more than the ${maximum} that are given`,
  )
}
