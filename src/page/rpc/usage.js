/** @import { Usage } from '../types.js' */
/** @import { Endpoint } from './endpoint.js' */
import { RpcFailure } from './client.js'

/** Answers of nodes that have no keys, or do not count their use. */
const NOT_TOLD = new Set([404, 405])

/**
 * What was asked with the key of an endpoint; null where nobody counts.
 * @param {Endpoint} endpoint
 * @param {AbortSignal} signal
 * @returns {Promise<Usage | null>}
 * @throws {RpcFailure}
 */
export async function readUsage(endpoint, signal) {
  const response = await fetch(endpoint.usageUrl, { signal, credentials: 'omit', cache: 'no-store' })
  if (NOT_TOLD.has(response.status)) return null
  if (!response.ok) {
    throw new RpcFailure(`The node answered with HTTP status ${response.status}.`, {
      status: response.status,
    })
  }
  return response.json()
}
