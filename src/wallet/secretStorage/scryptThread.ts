import { parentPort, workerData } from 'node:worker_threads'
import { scrypt } from '@noble/hashes/scrypt'
import type { ScryptParams } from './web3KeyFile.ts'

/** Input of the thread. */
export interface ScryptTask {
  readonly secret: Uint8Array
  readonly params: Omit<ScryptParams, 'salt'> & { readonly salt: Uint8Array }
}

const { secret, params } = workerData as ScryptTask
const { n, r, p, dklen, salt } = params
// Slightly more than the caller's limit: the blocks beside the table count, too.
const maxmem = 128 * r * (n + p + 2) + 1024
parentPort?.postMessage(scrypt(secret, salt, { N: n, r, p, dkLen: dklen, maxmem }))
