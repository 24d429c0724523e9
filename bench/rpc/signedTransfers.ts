import { type Hex, serializeTransaction, type TransactionSerializableLegacy } from 'viem'
import { addressOfPrivateKey, keccak256, signHash } from '../../src/native/crypto.ts'

export interface TransferPlan {
  readonly chainId: number
  readonly gasPrice: bigint
  /** Number of senders, and of transactions of each. */
  readonly accounts: number
  readonly perAccount: number
  /** Nonce of the first transaction of each; 0 unless given. */
  readonly firstNonce?: number
}

/** An account that sends in a measurement. */
interface SendingAccount {
  readonly address: Hex
  readonly key: Buffer
}

const TRANSFER_GAS = 21_000n
const MIN_EIP155_V = 35n

/** Accounts of fixed keys. */
export function sendingAccounts(count: number): SendingAccount[] {
  return Array.from({ length: count }, (_, i) => {
    const key = keccak256(Buffer.from(`rhizome bench sending account ${i}`))
    return { key, address: hex(addressOfPrivateKey(key)) }
  })
}

/**
 * Signed transfers of a wei from each account to the next, round-robin, so that no account waits for itself.
 */
export function signTransfers({
  chainId,
  gasPrice,
  accounts,
  perAccount,
  firstNonce = 0,
}: TransferPlan): Hex[] {
  const senders = sendingAccounts(accounts)
  const signed: Hex[] = []
  for (let nonce = firstNonce; nonce < firstNonce + perAccount; nonce++) {
    for (const [index, { key }] of senders.entries()) {
      const to = senders[(index + 1) % senders.length]?.address
      if (to === undefined) continue
      const fields: TransactionSerializableLegacy = {
        type: 'legacy',
        chainId,
        nonce,
        gasPrice,
        gas: TRANSFER_GAS,
        to,
        value: 1n,
      }
      const hash = keccak256(Buffer.from(serializeTransaction(fields).slice(2), 'hex'))
      const { r, s, parity } = signHash(hash, key)
      const v = BigInt(chainId) * 2n + MIN_EIP155_V + BigInt(parity)
      signed.push(serializeTransaction(fields, { r: hex(r), s: hex(s), v }))
    }
  }
  return signed
}

function hex(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}
