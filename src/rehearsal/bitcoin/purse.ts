import { createHash } from 'node:crypto'
import { crypto, opcodes, script, type Transaction } from 'bitcoinjs-lib'
import { RehearsalError } from '../errors.ts'
import { type KeyPair, signForScript } from '../keyPair.ts'
import type { BitcoinChain } from './bitcoinChain.ts'
import { type Coin, unsignedTransaction } from './transactions.ts'

/** Fee of a transaction of a user, satoshi. */
const FEE = 10_000n
const SIGHASH_ALL = 1

/** An output requested by a user. */
export interface Payment {
  readonly script: Uint8Array
  /** Satoshi. */
  readonly value: bigint
}

/** Spends the outputs of one script on a Bitcoin chain. */
export interface Purse {
  readonly script: Buffer
  /** Builds, signs and broadcasts a payment with change. @throws RehearsalError */
  pay(payments: readonly Payment[]): Transaction
}

/** Outputs for the hash of one key, spent by a signature and the key. */
export function p2pkhPurse(chain: BitcoinChain, key: KeyPair): Purse {
  const outputScript = p2pkhOf(key)
  return createPurse(chain, outputScript, (transaction, index) => {
    const hash = transaction.hashForSignature(index, outputScript, SIGHASH_ALL)
    transaction.setInputScript(index, script.compile([signForScript(key, hash), key.publicKey]))
  })
}

/** Outputs for the hash of a script that names the hash of one key, spent by a witness. */
export function p2shP2wpkhPurse(chain: BitcoinChain, key: KeyPair): Purse {
  const keyHash = crypto.hash160(key.publicKey)
  const program = script.compile([opcodes.OP_0, keyHash])
  return createPurse(chain, p2shScript(program), (transaction, index, { value }) => {
    const hash = transaction.hashForWitnessV0(index, p2pkhScript(keyHash), value, SIGHASH_ALL)
    transaction.setInputScript(index, script.compile([program]))
    transaction.setWitness(index, [signForScript(key, hash), key.publicKey])
  })
}

/** Outputs for the hash of a script with several keys, spent by the first `threshold` of them. */
export function p2shMultisigPurse(chain: BitcoinChain, keys: readonly KeyPair[], threshold: number): Purse {
  const number = (value: number) => opcodes.OP_1 + value - 1
  const redeemScript = script.compile([
    number(threshold),
    ...keys.map(({ publicKey }) => publicKey),
    number(keys.length),
    opcodes.OP_CHECKMULTISIG,
  ])
  return createPurse(chain, p2shScript(redeemScript), (transaction, index) => {
    const hash = transaction.hashForSignature(index, redeemScript, SIGHASH_ALL)
    const signatures = keys.slice(0, threshold).map((key) => signForScript(key, hash))
    const pushes = [opcodes.OP_0, ...signatures, redeemScript]
    transaction.setInputScript(index, script.compile(pushes))
  })
}

/** The output script for the hash of a key pair's public key. */
export function p2pkhOf(key: KeyPair): Buffer {
  return p2pkhScript(crypto.hash160(key.publicKey))
}

/** The output script for the hash of a key. */
function p2pkhScript(keyHash: Uint8Array): Buffer {
  const { OP_DUP, OP_HASH160, OP_EQUALVERIFY, OP_CHECKSIG } = opcodes
  return Buffer.from(script.compile([OP_DUP, OP_HASH160, keyHash, OP_EQUALVERIFY, OP_CHECKSIG]))
}

/** The output script for the hash of a script. */
function p2shScript(redeemScript: Uint8Array): Buffer {
  const { OP_HASH160, OP_EQUAL } = opcodes
  return Buffer.from(script.compile([OP_HASH160, crypto.hash160(redeemScript), OP_EQUAL]))
}

/** The output script for the hash of a script that names the SHA-256 of a witness script. */
export function p2shP2wshScript(witnessScript: Uint8Array): Buffer {
  return p2shScript(script.compile([opcodes.OP_0, sha256(witnessScript)]))
}

/** The output script that carries data and no satoshi. */
export function dataScript(data: Uint8Array): Buffer {
  return Buffer.from(script.compile([opcodes.OP_RETURN, data]))
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Writes script or witness of an input that spends a coin. */
type SignInput = (transaction: Transaction, index: number, coin: Coin) => void

/** Spends the outputs of a script, whose inputs a function signs; the oldest coins go first. */
export function createPurse(chain: BitcoinChain, outputScript: Buffer, signInput: SignInput): Purse {
  return {
    script: outputScript,
    pay: (payments) => {
      const needed = payments.reduce((total, { value }) => total + value, FEE)
      const coins: Coin[] = []
      let found = 0n
      for (const coin of chain.coinsOf(outputScript)) {
        if (found >= needed) break
        coins.push(coin)
        found += coin.value
      }
      if (found < needed) {
        throw new RehearsalError('REFUSED', `${needed} satoshi are needed on Bitcoin, there are ${found}`)
      }
      const change = found - needed
      const outputs = change === 0n ? payments : [...payments, { script: outputScript, value: change }]
      const transaction = unsignedTransaction(coins, outputs)
      for (const [index, coin] of coins.entries()) signInput(transaction, index, coin)
      chain.broadcast(transaction)
      return transaction
    },
  }
}
