import { WalletError } from '../../wallet/errors.ts'
import type { Signer, Wallet } from '../../wallet/interface.ts'
import type { NodeContext } from '../context.ts'
import { invalidParams, RpcError } from '../errors.ts'

/**
 * The wallet of a `personal_` method.
 * @throws RpcError -32604 where there is none
 */
export function personalWallet({ wallet }: NodeContext): Wallet {
  if (wallet === null) throw new RpcError('walletDisabled')
  return wallet
}

/**
 * The wallet of eth_sign and eth_sendTransaction.
 * @throws RpcError -32602 where there is none (rpc.md §3.4)
 */
export function localWallet({ wallet }: NodeContext): Wallet {
  if (wallet === null) throw invalidParams('Local wallet is disabled in this node')
  return wallet
}

/**
 * The wallet of a method that exists only with a wallet (rpc.md §8.3).
 * @throws RpcError -32601 where there is none
 */
export function walletOfExtension({ wallet }: NodeContext, method: string): Wallet {
  if (wallet !== null) return wallet
  throw new RpcError('methodUnavailable', `the method ${method} does not exist/is not available`)
}

/**
 * The signer of an unlocked account.
 * @throws RpcError -32602 when it is locked or unknown
 */
export function unlockedSigner(wallet: Wallet, address: Buffer): Signer {
  const signer = wallet.signer(address)
  if (signer === null) throw invalidParams('Account not found')
  return signer
}

/** Runs an action of the wallet and converts its errors to JSON-RPC errors. */
export async function walletAnswer<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw error instanceof WalletError ? toRpcError(error) : error
  }
}

/** The JSON-RPC error for an error of the wallet. */
export function toRpcError(error: WalletError): RpcError {
  if (error.code === 'BUSY') return new RpcError('limited', error.message, { cause: error })
  if (error.code === 'KEY_FILE') return new RpcError('internal', error.message, { cause: error })
  return invalidParams(error.message, { cause: error })
}
