/** @import { Context } from '../types.js' */
import { RpcFailure } from './client.js'

/**
 * Who can send a transaction: an account whose key the node holds, or the wallet of the browser.
 * @typedef {{ readonly kind: 'node', readonly address: string } | { readonly kind: 'wallet' }} Sender
 */

/**
 * What is sent; the sender fills in the rest.
 * @typedef {object} Payload
 * @property {string} [to]
 * @property {string} [data]
 * @property {bigint} [value] wei
 * @property {bigint | null} [gas] null: as much as the node estimates, and a fifth
 */

/**
 * The accounts that the node signs for, where this page may ask it, and the wallet of the browser where it has one.
 * @param {Context} context
 * @param {AbortSignal} signal
 * @returns {Promise<readonly Sender[]>}
 */
export async function sendersOf(context, signal) {
  const { client, methods, impersonated } = context
  /** @type {string[]} */
  let accounts = []
  if (methods.has('eth_accounts') && methods.has('eth_sendTransaction')) {
    try {
      accounts = await client.call('eth_accounts', [], signal)
    } catch (error) {
      // The node may hold keys without lending them to this page.
      if (!(error instanceof RpcFailure) || error.wantsKey) throw error
    }
  }
  /** @type {Sender[]} */
  const senders = [...new Set([...accounts, ...impersonated])].map((address) => ({ kind: 'node', address }))
  return walletOf() === null ? senders : [...senders, { kind: 'wallet' }]
}

/**
 * Sends a transaction.
 * @param {Context} context
 * @param {Sender} sender
 * @param {Payload} payload
 * @param {AbortSignal} signal
 * @returns {Promise<string>} its hash
 * @throws what the node or the wallet refuses
 */
export async function sendFrom(context, sender, { to, data, value = 0n, gas = null }, signal) {
  const call = {
    ...(to !== undefined && { to }),
    ...(data !== undefined && { data }),
    value: quantity(value),
  }
  if (sender.kind === 'wallet')
    return sendByWallet(context, { ...call, ...(gas !== null && { gas: quantity(gas) }) })
  const { client } = context
  const from = sender.address
  const limit = gas ?? (BigInt(await client.call('eth_estimateGas', [{ from, ...call }], signal)) * 6n) / 5n
  return client.call('eth_sendTransaction', [{ from, ...call, gas: quantity(limit) }], signal)
}

/**
 * @param {Context} context
 * @param {object} call
 * @returns {Promise<string>}
 */
async function sendByWallet({ chainId }, call) {
  const wallet = walletOf()
  if (wallet === null) throw new Error('The wallet is gone.')
  const [from] = await wallet.request({ method: 'eth_requestAccounts', params: [] })
  if (from === undefined) throw new Error('The wallet gives no account.')
  const chain = Number(await wallet.request({ method: 'eth_chainId', params: [] }))
  if (chain !== chainId) {
    throw new Error(`The wallet is connected to chain ${chain}, and this node is of chain ${chainId}.`)
  }
  return wallet.request({ method: 'eth_sendTransaction', params: [{ from, ...call }] })
}

/**
 * The wallet of the browser (EIP-1193); null where there is none.
 * @returns {{ request(asked: { method: string, params: readonly unknown[] }): Promise<any> } | null}
 */
function walletOf() {
  const wallet = /** @type {any} */ (globalThis).ethereum
  return typeof wallet?.request === 'function' ? wallet : null
}

/** @param {bigint} value */
function quantity(value) {
  return `0x${value.toString(16)}`
}
