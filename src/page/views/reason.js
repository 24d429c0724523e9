/** @import { Context } from '../types.js' */
import { decodedText } from '../abi/describe.js'
import { describeRevert, isCustomError } from '../chain/revert.js'
import { RpcFailure } from '../rpc/client.js'

/**
 * What the data of a revert says: a text, a panic, or an error that an ABI has; null when there is no data.
 * @param {Context} context
 * @param {string} data 0x-hex
 * @param {string | null} address of the contract that was called
 */
export function reasonOf({ contracts }, data, address) {
  const decoded = isCustomError(data) ? contracts.error(data, address) : null
  return decoded === null ? describeRevert(data) : decodedText(decoded)
}

/**
 * Why a call or a transaction was refused, by the node or by a wallet.
 * @param {Context} context
 * @param {unknown} error
 * @param {string | null} address of the contract that was called
 */
export function refusalText(context, error, address) {
  const data = revertData(error)
  const reason = data === null ? null : reasonOf(context, data, address)
  if (reason !== null) return reason
  if (data === '0x' && error instanceof RpcFailure) return 'The contract reverted without a reason.'
  const message = /** @type {{ message?: unknown } | null} */ (error)?.message
  return typeof message === 'string' ? message : String(error)
}

/** Wallets put what the node said into an object of their own. @param {any} error */
function revertData(error) {
  const data = error?.data
  const found = typeof data === 'string' ? data : (data?.data ?? data?.originalError?.data)
  return typeof found === 'string' && /^0x([0-9a-f]{2})*$/i.test(found) ? found.toLowerCase() : null
}
