import { createHash, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { publicKeyOf } from '../native/crypto.ts'
import { WalletError } from './errors.ts'

/** Sources of keys. */
export interface MnemonicKeys {
  /** English words of BIP-39. */
  readonly mnemonic: string
  /** BIP-32, to which the number of an account is added, e.g. `m/44'/60'/0'/0`. */
  readonly path: string
  /** Number of keys, from 0 up. */
  readonly count: number
}

/** A private key with what its children are made from, 32 bytes each (BIP-32). */
interface ExtendedKey {
  readonly key: Buffer
  readonly chainCode: Buffer
}

const BITS_PER_WORD = 11
const WORD_COUNTS = [12, 15, 18, 21, 24]
const SEED_ROUNDS = 2048
const SEED_BYTES = 64
const KEY_BYTES = 32
/** Numbers from here on make children that the public key does not lead to. */
const HARDENED = 2 ** 31
/** Order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Private keys of the first accounts of a mnemonic, 32 bytes each (BIP-39 without a passphrase, BIP-32). The native
 * core makes the public keys on the way: in JavaScript they took a tenth of a start.
 * @throws WalletError `MNEMONIC` for words that are none, `DERIVATION_PATH` for a path that is none
 */
export async function mnemonicKeys({ mnemonic, path, count }: MnemonicKeys): Promise<Buffer[]> {
  // Loaded when there is a mnemonic: most nodes have none.
  const { wordlist } = await import('@scure/bip39/wordlists/english')
  const words = mnemonic.normalize('NFKD').trim().split(/\s+/)
  const fault = faultOf(words, wordlist)
  if (fault !== null) throw new WalletError('MNEMONIC', fault)
  const seed = await promisify(pbkdf2)(words.join(' '), 'mnemonic', SEED_ROUNDS, SEED_BYTES, 'sha512')
  const parent = readPath(path).reduce(childOf, split(hmac(Buffer.from('Bitcoin seed'), seed)))
  return Array.from({ length: count }, (_, index) => childOf(parent, index).key)
}

/** What is wrong with words of a mnemonic, without saying any of them; null for nothing. */
function faultOf(words: readonly string[], wordlist: readonly string[]): string | null {
  if (!WORD_COUNTS.includes(words.length))
    return `a mnemonic has 12, 15, 18, 21 or 24 words (BIP-39), not ${words.length}`
  const numbers = words.map((word) => wordlist.indexOf(word))
  const unknown = numbers.indexOf(-1)
  if (unknown !== -1) return `word ${unknown + 1} of the mnemonic is none of the English words of BIP-39`
  return hasChecksum(numbers)
    ? null
    : 'the checksum of the mnemonic does not fit its words (BIP-39): one is another word, or their order is wrong'
}

/** True for numbers of words whose last bits are the checksum of the others. */
function hasChecksum(numbers: readonly number[]): boolean {
  const bits = numbers.map((number) => number.toString(2).padStart(BITS_PER_WORD, '0')).join('')
  const checksumBits = numbers.length / 3
  const entropy = Buffer.from(
    (bits.slice(0, -checksumBits).match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)),
  )
  const [first = 0] = createHash('sha256').update(entropy).digest()
  return first >> (8 - checksumBits) === Number.parseInt(bits.slice(-checksumBits), 2)
}

/**
 * Numbers of the children on the way. @param path of the form that options have, e.g. `m/44'/60'/0'/0`
 * @throws WalletError `DERIVATION_PATH` for a number that no child has
 */
function readPath(path: string): number[] {
  return path
    .split('/')
    .slice(1)
    .map((step) => {
      const number = Number.parseInt(step, 10)
      if (number >= HARDENED)
        throw new WalletError('DERIVATION_PATH', `${number} is too large, at most ${HARDENED - 1} (BIP-32)`)
      return number + (step.endsWith("'") ? HARDENED : 0)
    })
}

/** @throws WalletError `MNEMONIC` where the number has no key, which nobody has seen yet */
function childOf({ key, chainCode }: ExtendedKey, index: number): ExtendedKey {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(index)
  const data = index < HARDENED ? compressed(publicKeyOf(key)) : Buffer.concat([Buffer.alloc(1), key])
  const { key: added, chainCode: next } = split(hmac(chainCode, Buffer.concat([data, number])))
  const sum = (toNumber(added) + toNumber(key)) % ORDER
  if (toNumber(added) >= ORDER || sum === 0n) {
    throw new WalletError('MNEMONIC', 'the mnemonic has no key of that number (BIP-32)')
  }
  return { key: Buffer.from(sum.toString(16).padStart(2 * KEY_BYTES, '0'), 'hex'), chainCode: next }
}

/** 33 bytes. @param publicKey x ∥ y */
function compressed(publicKey: Buffer): Buffer {
  const isOdd = (publicKey[2 * KEY_BYTES - 1] ?? 0) & 1
  return Buffer.concat([Buffer.from([2 + isOdd]), publicKey.subarray(0, KEY_BYTES)])
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha512', key).update(data).digest()
}

function split(bytes: Buffer): ExtendedKey {
  return { key: bytes.subarray(0, KEY_BYTES), chainCode: bytes.subarray(KEY_BYTES) }
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}
