import { WalletError } from '../errors.ts'

/** Parameters of scrypt in a file. */
export interface ScryptParams {
  readonly kdf: 'scrypt'
  readonly n: number
  readonly r: number
  readonly p: number
  readonly dklen: number
  readonly salt: Buffer
}

/** Parameters of PBKDF2 with HMAC-SHA-256. */
export interface Pbkdf2Params {
  readonly kdf: 'pbkdf2'
  readonly c: number
  readonly dklen: number
  readonly salt: Buffer
}

/** Key derivation of the cipher's key from the passphrase. */
export type KdfParams = ScryptParams | Pbkdf2Params

/** A key file: Web3 Secret Storage, version 3. */
export interface KeyFile {
  /** 20 bytes; null in files without an address. */
  readonly address: Buffer | null
  readonly kdf: KdfParams
  /** Counter block of AES-128-CTR, 16 bytes. */
  readonly iv: Buffer
  readonly ciphertext: Buffer
  /** 32 bytes. */
  readonly mac: Buffer
}

const HEX = /^(0x)?([0-9a-fA-F]*)$/
const ADDRESS_BYTES = 20
const BLOCK_BYTES = 16
const MAC_BYTES = 32
/** The first half is the cipher's key, the second enters the MAC. */
const MIN_DERIVED_BYTES = 32
const MAX_DERIVED_BYTES = 1024
const KEY_BYTES = 32
const MAX_SALT_BYTES = 1024

/**
 * Parses a key file. Member names are case-insensitive: geth writes `crypto`, ethers `Crypto`.
 * @throws WalletError `KEY_FILE` that names what is invalid
 */
export function parseKeyFile(text: string): KeyFile {
  const file = members(parseJson(text), 'key file')
  if (String(file['version']) !== '3') throw malformed(`version 3 expected, got ${shown(file['version'])}`)
  const crypto = members(file['crypto'], 'crypto')
  if (crypto['cipher'] !== 'aes-128-ctr') {
    throw malformed(`cipher aes-128-ctr expected, got ${shown(crypto['cipher'])}`)
  }
  const ciphertext = bytes(crypto, 'ciphertext')
  if (ciphertext.length === 0 || ciphertext.length > KEY_BYTES) {
    throw malformed(`ciphertext of 1 to ${KEY_BYTES} bytes expected, got ${ciphertext.length}`)
  }
  return {
    address: file['address'] === undefined ? null : exactBytes(file, 'address', ADDRESS_BYTES),
    kdf: parseKdf(crypto['kdf'], members(crypto['kdfparams'], 'kdfparams')),
    iv: exactBytes(members(crypto['cipherparams'], 'cipherparams'), 'iv', BLOCK_BYTES),
    ciphertext,
    mac: exactBytes(crypto, 'mac', MAC_BYTES),
  }
}

/** Text of a key file in the form of geth; `id` is a UUID. */
export function formatKeyFile(file: KeyFile, id: string): string {
  const { address, kdf, iv, ciphertext, mac } = file
  const salt = kdf.salt.toString('hex')
  const kdfparams =
    kdf.kdf === 'scrypt'
      ? { dklen: kdf.dklen, n: kdf.n, p: kdf.p, r: kdf.r, salt }
      : { c: kdf.c, dklen: kdf.dklen, prf: 'hmac-sha256', salt }
  return JSON.stringify({
    ...(address !== null && { address: address.toString('hex') }),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: ciphertext.toString('hex'),
      cipherparams: { iv: iv.toString('hex') },
      kdf: kdf.kdf,
      kdfparams,
      mac: mac.toString('hex'),
    },
    id,
    version: 3,
  })
}

function parseKdf(kdf: unknown, params: Record<string, unknown>): KdfParams {
  const dklen = integer(params, 'dklen', MIN_DERIVED_BYTES, MAX_DERIVED_BYTES)
  const salt = bytes(params, 'salt')
  if (salt.length > MAX_SALT_BYTES) throw malformed('salt is too long')
  if (kdf === 'scrypt') {
    const n = integer(params, 'n', 2, 2 ** 31)
    if (!Number.isInteger(Math.log2(n))) throw malformed(`n must be a power of two, got ${n}`)
    return { kdf, n, r: integer(params, 'r', 1, 2 ** 20), p: integer(params, 'p', 1, 2 ** 20), dklen, salt }
  }
  if (kdf !== 'pbkdf2') throw malformed(`kdf scrypt or pbkdf2 expected, got ${shown(kdf)}`)
  if (params['prf'] !== 'hmac-sha256')
    throw malformed(`prf hmac-sha256 expected, got ${shown(params['prf'])}`)
  return { kdf, c: integer(params, 'c', 1, 2 ** 31), dklen, salt }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new WalletError('KEY_FILE', 'key file is no JSON', { cause: error })
  }
}

/** Members by their name in lower case. */
function members(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(`${name} must be an object`)
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]))
}

function bytes(from: Record<string, unknown>, name: string): Buffer {
  const value = from[name]
  const digits = typeof value === 'string' ? HEX.exec(value)?.[2] : undefined
  if (digits === undefined || digits.length % 2 !== 0) throw malformed(`${name} must be hex`)
  return Buffer.from(digits, 'hex')
}

function exactBytes(from: Record<string, unknown>, name: string, length: number): Buffer {
  const value = bytes(from, name)
  if (value.length !== length) throw malformed(`${name} of ${length} bytes expected, got ${value.length}`)
  return value
}

function integer(from: Record<string, unknown>, name: string, minimum: number, maximum: number): number {
  const value = from[name]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum) {
    throw malformed(`${name} from ${minimum} to ${maximum} expected, got ${shown(value)}`)
  }
  return value
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 40) ?? 'nothing'
}

function malformed(what: string): WalletError {
  return new WalletError('KEY_FILE', `key file: ${what}`)
}
