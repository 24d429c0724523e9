import { createHash } from 'node:crypto'
import { crypto, opcodes, script } from 'bitcoinjs-lib'
import type { BitcoinChain } from '../../../src/rehearsal/bitcoin/bitcoinChain.ts'
import {
  createPurse,
  type Purse,
  p2pkhPurse,
  p2shMultisigPurse,
  p2shP2wpkhPurse,
  p2shP2wshScript,
} from '../../../src/rehearsal/bitcoin/purse.ts'
import { keyPairOfSeed, signForScript } from '../../../src/rehearsal/keyPair.ts'

/** Senders of peg-ins as the Bridge tells them apart (bridge.md §3.4), and two that it does not know. */
export const SENDER_KINDS = ['p2pkh', 'p2shP2wpkh', 'p2shMultisig', 'p2shP2wsh', 'p2wpkh', 'p2tr'] as const

/** A kind of sender. */
export type SenderKind = (typeof SENDER_KINDS)[number]

const SIGHASH_ALL = 1
const SIGNATURE_BYTES = 64
const OUTPUT_KEY_BYTES = 32

/** A sender of a kind with keys of their own. */
export function createSender(chain: BitcoinChain, kind: SenderKind, seed: string): Purse {
  const key = keyPairOfSeed(seed)
  const keys = [0, 1, 2].map((index) => keyPairOfSeed(`${seed}-${index}`))
  switch (kind) {
    case 'p2pkh':
      return p2pkhPurse(chain, key)
    case 'p2shP2wpkh':
      return p2shP2wpkhPurse(chain, key)
    case 'p2shMultisig':
      return p2shMultisigPurse(chain, keys, 2)
    case 'p2shP2wsh': {
      const witnessScript = script.compile([
        opcodes.OP_2,
        ...keys.map(({ publicKey }) => publicKey),
        opcodes.OP_3,
        opcodes.OP_CHECKMULTISIG,
      ])
      const program = script.compile([opcodes.OP_0, createHash('sha256').update(witnessScript).digest()])
      return createPurse(chain, p2shP2wshScript(witnessScript), (transaction, index, { value }) => {
        const hash = transaction.hashForWitnessV0(index, witnessScript, value, SIGHASH_ALL)
        transaction.setInputScript(index, script.compile([program]))
        const signatures = keys.slice(0, 2).map((each) => signForScript(each, hash))
        transaction.setWitness(index, [Buffer.alloc(0), ...signatures, Buffer.from(witnessScript)])
      })
    }
    case 'p2wpkh': {
      const keyHash = crypto.hash160(key.publicKey)
      const code = script.compile([
        opcodes.OP_DUP,
        opcodes.OP_HASH160,
        keyHash,
        opcodes.OP_EQUALVERIFY,
        opcodes.OP_CHECKSIG,
      ])
      const output = Buffer.from(script.compile([opcodes.OP_0, keyHash]))
      return createPurse(chain, output, (transaction, index, { value }) => {
        const hash = transaction.hashForWitnessV0(index, code, value, SIGHASH_ALL)
        transaction.setWitness(index, [signForScript(key, hash), key.publicKey])
      })
    }
    case 'p2tr': {
      // Nobody checks the signature of such a sender here: the Bridge looks at its shape alone.
      const output = Buffer.from(
        script.compile([opcodes.OP_1, key.publicKey.subarray(1, 1 + OUTPUT_KEY_BYTES)]),
      )
      return createPurse(chain, output, (transaction, index) => {
        transaction.setWitness(index, [Buffer.alloc(SIGNATURE_BYTES, 1)])
      })
    }
  }
}
