import { script } from 'bitcoinjs-lib'
import { addressOfPrivateKey, publicKeyOf, signHash } from '../native/crypto.ts'
import { privateKeyOfSeed } from '../wallet/privateKey.ts'

const COORDINATE_BYTES = 32
/** Prefix of a compressed public key whose y is even; it is one larger for an odd y. */
const EVEN = 2
const SIGHASH_ALL = 1

/** A secp256k1 key, which controls an account on Rootstock and outputs on Bitcoin. */
export interface KeyPair {
  /** 20 bytes, of Rootstock. */
  readonly address: Buffer
  /** 33 bytes. */
  readonly publicKey: Buffer
  /** Signs a 32-byte hash, low s. */
  sign(hash: Uint8Array): { readonly r: Buffer; readonly s: Buffer; readonly parity: 0 | 1 }
}

/** The key that is Keccak-256 of a text, as the reference derives its keys for regtest (bridge.md §6.2). */
export function keyPairOfSeed(seed: string): KeyPair {
  const privateKey = privateKeyOfSeed(seed)
  const point = publicKeyOf(privateKey)
  const isOdd = (point.at(-1) ?? 0) & 1
  return {
    address: addressOfPrivateKey(privateKey),
    publicKey: Buffer.concat([Buffer.from([EVEN + isOdd]), point.subarray(0, COORDINATE_BYTES)]),
    sign: (hash) => signHash(hash, privateKey),
  }
}

/** A signature of a transaction's hash in the form of scripts: DER, then the byte of SIGHASH_ALL. */
export function signForScript(key: KeyPair, hash: Uint8Array): Buffer {
  const { r, s } = key.sign(hash)
  return Buffer.from(script.signature.encode(Buffer.concat([r, s]), SIGHASH_ALL))
}

/** The same signature in the form of the Bridge: DER alone (bridge.md §4.5). */
export function signForBridge(key: KeyPair, hash: Uint8Array): Buffer {
  return signForScript(key, hash).subarray(0, -1)
}
