import { pbkdf2, scrypt } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { asBuffer } from '../../util/bytes.ts'
import { workerEntry, workerOptions } from '../../util/entry.ts'
import { WalletError } from '../errors.ts'
import type { ScryptTask } from './scryptThread.ts'
import type { KdfParams, ScryptParams } from './web3KeyFile.ts'

/**
 * Most memory that a key file may require, bytes. The strongest files in use (n = 2^18, r = 8) need a quarter
 * of it.
 */
export const MAX_SCRYPT_BYTES: number = 1024 ** 3

/** Largest n × r × p: eight times that of the strongest files in use, some ten seconds. */
export const MAX_SCRYPT_WORK: number = 2 ** 24

/** Most iterations of PBKDF2, some ten seconds; files in use have up to 2^20. */
export const MAX_PBKDF2_ROUNDS: number = 2 ** 24

const pbkdf2Async = promisify(pbkdf2)

/**
 * Derives a key of `dklen` bytes from a passphrase, off the calling thread.
 * @throws WalletError `KEY_FILE` when the parameters exceed the limits above
 */
export async function deriveKey(passphrase: string, params: KdfParams): Promise<Buffer> {
  const secret = Buffer.from(passphrase, 'utf8')
  try {
    if (params.kdf === 'scrypt') return await runScrypt(secret, params)
    assertRounds(params.c)
    return await pbkdf2Async(secret, params.salt, params.c, params.dklen, 'sha256')
  } finally {
    secret.fill(0)
  }
}

async function runScrypt(secret: Buffer, params: ScryptParams): Promise<Buffer> {
  const { n, r, p, dklen, salt } = params
  assertScryptBounds(params)
  if (n >= 2 ** Math.min(16 * r, 32)) return scryptInThread(secret, params)
  // The memory that OpenSSL counts: the table of n, the p blocks and two more.
  const maxmem = 128 * r * (n + p + 2) + 1024
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, dklen, { N: n, r, p, maxmem }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/** For n from 2^(16 r) on, which RFC 7914 and OpenSSL exclude but some key files have. */
async function scryptInThread(secret: Buffer, params: ScryptParams): Promise<Buffer> {
  const task: ScryptTask = { secret, params }
  const thread = new Worker(workerEntry('./scryptThread.ts', import.meta.url), {
    workerData: task,
    ...workerOptions(import.meta.url),
  })
  try {
    const [key] = (await once(thread, 'message')) as [Uint8Array]
    return asBuffer(key)
  } finally {
    void thread.terminate()
  }
}

/** @throws WalletError `KEY_FILE` when they need more memory or time than is given */
export function assertScryptBounds({ n, r, p }: Pick<ScryptParams, 'n' | 'r' | 'p'>): void {
  assertBounds('bytes of memory', 128 * r * Math.max(n, p), MAX_SCRYPT_BYTES)
  assertBounds('blocks of work (n × r × p)', n * r * p, MAX_SCRYPT_WORK)
}

/** @throws WalletError `KEY_FILE` for more rounds of PBKDF2 than are given */
export function assertRounds(rounds: number): void {
  assertBounds('rounds (c)', rounds, MAX_PBKDF2_ROUNDS)
}

function assertBounds(what: string, value: number, maximum: number): void {
  if (value <= maximum) return
  throw new WalletError(
    'KEY_FILE',
    `key file: it asks for ${value} ${what}, more than the ${maximum} that are given`,
  )
}
