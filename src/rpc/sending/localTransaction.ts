import type { Transaction } from '../../chain/codec/transaction.ts'
import { bigIntToBytes, EMPTY_BYTES, toHex } from '../../util/bytes.ts'
import type { Signer, Wallet } from '../../wallet/interface.ts'
import { signTransaction } from '../../wallet/signing.ts'
import type { NodeContext } from '../context.ts'
import type { TransactionObject } from '../params/transactionObject.ts'
import { wrongChainId } from './chainIds.ts'
import { transactionRefused } from './refused.ts'

/** Gas of a transaction that names none (specification.md Call object). */
const DEFAULT_GAS = 90_000n
const ZERO_BYTE = Buffer.from([0])
const ONE_BYTE_HEX = /^0x[0-9a-fA-F]{1,2}$/

/** Wordings of a chain id in an error: as written in the request, or as the number in the signed transaction. */
export type ChainIdWording = 'written' | 'number'

/**
 * Signs a transaction with the defaults of eth_sendTransaction: gas 90000, the gas price of
 * `maxFeePerGas`, else 0, value 0, the nonce after the account's pending transactions, this chain.
 * @throws RpcError -32602 for another chain
 */
export async function signLocalTransaction(
  context: NodeContext,
  signer: Signer,
  call: TransactionObject,
  wording: ChainIdWording,
): Promise<Transaction> {
  const chainId = readChainId(call, context.node.chainId, wording)
  const nonce = call.nonce ?? (await pendingNonce(context, signer.address))
  const gas = call.gas ?? call.gasLimit ?? DEFAULT_GAS
  return signTransaction(signer, {
    nonceBytes: bigIntToBytes(nonce),
    gasPrice: call.gasPrice ?? call.maxFeePerGas ?? 0n,
    gasLimitBytes: gas === 0n ? ZERO_BYTE : bigIntToBytes(gas),
    to: call.to ?? EMPTY_BYTES,
    value: call.value ?? 0n,
    data: call.data ?? EMPTY_BYTES,
    chainId,
  })
}

/**
 * Signs a transaction and offers it to the pool: its hash. A given nonce that a pending transaction of the
 * account has replaces that one, if the gas price is raised enough.
 * @throws RpcError -32010 with the pool's reason
 */
export function sendLocalTransaction(
  context: NodeContext,
  wallet: Wallet,
  signer: Signer,
  call: TransactionObject,
  wording: ChainIdWording,
): Promise<string> {
  return wallet.serialized(signer.address, async () => {
    const transaction = await signLocalTransaction(context, signer, call, wording)
    const outcome = await context.commands.sendTransaction(transaction.encoded)
    if (outcome.status === 'refused') throw transactionRefused(outcome)
    return toHex(outcome.hash)
  })
}

/** Number of transactions of the account, those waiting in the pool included. */
export async function pendingNonce({ chain, pool, state }: NodeContext, address: Buffer): Promise<bigint> {
  const waiting = (await pool.nextNonce(address)) ?? 0n
  const mined = state.at(chain.head()).account(address)?.nonce ?? 0n
  return waiting > mined ? waiting : mined
}

/** @throws RpcError -32602 for a chain id that is no byte or another chain's; 0 is this chain's */
function readChainId(
  { chainId, chainIdText }: TransactionObject,
  own: number,
  wording: ChainIdWording,
): number {
  if (chainId === null || chainIdText === null) return own
  const isByte = chainIdText.startsWith('0x') ? ONE_BYTE_HEX.test(chainIdText) : chainId <= 255n
  if (isByte && (chainId === 0n || chainId === BigInt(own))) return own
  throw wrongChainId(wording === 'written' || !isByte ? chainIdText : chainId, own)
}
