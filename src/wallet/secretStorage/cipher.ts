import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto'
import { addressOfPrivateKey, keccak256 } from '../../native/crypto.ts'
import { WalletError } from '../errors.ts'
import { normalizePrivateKey } from '../privateKey.ts'
import { deriveKey } from './deriveKey.ts'
import type { KeyFile } from './web3KeyFile.ts'

/** Scrypt cost of new files. */
export interface ScryptCost {
  readonly n: number
  readonly r: number
  readonly p: number
}

/** The cost that geth uses: 256 MiB of memory and about a second. */
export const STANDARD_SCRYPT: ScryptCost = { n: 262_144, r: 8, p: 1 }

const CIPHER = 'aes-128-ctr'
const DERIVED_BYTES = 32
const BLOCK_BYTES = 16

/** Encrypts a 32-byte private key (Web3 Secret Storage, version 3). The passphrase is used unnormalised. */
export async function encryptKey(privateKey: Buffer, passphrase: string, cost: ScryptCost): Promise<KeyFile> {
  const kdf = { kdf: 'scrypt', ...cost, dklen: DERIVED_BYTES, salt: randomBytes(32) } as const
  const derived = await deriveKey(passphrase, kdf)
  const iv = randomBytes(BLOCK_BYTES)
  const cipher = createCipheriv(CIPHER, derived.subarray(0, BLOCK_BYTES), iv)
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()])
  const mac = macOf(derived, ciphertext)
  derived.fill(0)
  return { address: addressOfPrivateKey(privateKey), kdf, iv, ciphertext, mac }
}

/**
 * The private key of a file, 32 bytes. If the passphrase is wrong as given, its Unicode compatibility form is
 * tried, with which ethers encrypts.
 * @throws WalletError `WRONG_PASSPHRASE`; `KEY_FILE` when its parameters exceed the limits or the key is that
 *   of another address
 */
export async function decryptKey(file: KeyFile, passphrase: string): Promise<Buffer> {
  const forms = new Set([passphrase, passphrase.normalize('NFKC')])
  for (const form of forms) {
    const derived = await deriveKey(form, file.kdf)
    try {
      if (timingSafeEqual(macOf(derived, file.ciphertext), file.mac)) return decrypt(file, derived)
    } finally {
      derived.fill(0)
    }
  }
  throw new WalletError('WRONG_PASSPHRASE', 'the passphrase does not open the key file')
}

function decrypt({ address, ciphertext, iv }: KeyFile, derived: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, derived.subarray(0, BLOCK_BYTES), iv)
  const plain = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  const privateKey = normalizePrivateKey(plain)
  plain.fill(0)
  if (address !== null && !addressOfPrivateKey(privateKey).equals(address)) {
    privateKey.fill(0)
    throw new WalletError('KEY_FILE', 'key file: its key belongs to another address')
  }
  return privateKey
}

/** Keccak-256 of the second half of the derived key's 32 bytes and the ciphertext. */
function macOf(derived: Buffer, ciphertext: Buffer): Buffer {
  return keccak256(Buffer.concat([derived.subarray(BLOCK_BYTES, DERIVED_BYTES), ciphertext]))
}
