/** @import { Endpoint } from './endpoint.js' */

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {readonly unknown[]} [params]
 */

/** Requests of one batch; the node takes as many unless it is told otherwise. */
const BATCH = 50

/** Why the node did not answer with a result. */
export class RpcFailure extends Error {
  /**
   * @param {string} message
   * @param {{ code?: number | null, status?: number, data?: unknown }} [facts]
   */
  constructor(message, { code = null, status = 200, data } = {}) {
    super(message)
    this.name = 'RpcFailure'
    /** JSON-RPC code; null when there was no JSON-RPC answer. */
    this.code = code
    /** HTTP status; 0 when the node was not reached. */
    this.status = status
    this.data = data
  }

  /** Whether the node wants an API key, or another one. */
  get wantsKey() {
    return this.status === 401 || this.code === -32001
  }
}

/** Asks the node over HTTP. */
export class RpcClient {
  #endpoint
  #lastId = 0

  /** @param {Endpoint} endpoint */
  constructor(endpoint) {
    this.#endpoint = endpoint
  }

  /**
   * The result of one request.
   * @template T
   * @param {string} method
   * @param {readonly unknown[]} [params]
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   * @throws {RpcFailure}
   */
  async call(method, params = [], signal) {
    const { answer, status } = await this.#post(this.#request({ method, params }), signal)
    return resultOf(answer, status)
  }

  /**
   * What several requests give, in their order; one that fails leaves the others alone.
   * @param {readonly Call[]} calls
   * @param {AbortSignal} [signal]
   * @returns {Promise<PromiseSettledResult<any>[]>}
   * @throws {RpcFailure} when none is answered
   */
  async settle(calls, signal) {
    /** @type {PromiseSettledResult<any>[]} */
    const results = []
    for (let start = 0; start < calls.length; start += BATCH) {
      results.push(...(await this.#settleBatch(calls.slice(start, start + BATCH), signal)))
    }
    return results
  }

  /**
   * What several requests give where a view can do without: the failure of all is that of each.
   * @param {readonly Call[]} calls
   * @param {AbortSignal} [signal]
   * @returns {Promise<PromiseSettledResult<any>[]>}
   * @throws {RpcFailure} when the node wants a key
   */
  async attempt(calls, signal) {
    if (calls.length === 0) return []
    try {
      return await this.settle(calls, signal)
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.wantsKey) throw error
      return calls.map(() => ({ status: 'rejected', reason: error }))
    }
  }

  /**
   * The results of several requests, in their order.
   * @param {readonly Call[]} calls
   * @param {AbortSignal} [signal]
   * @returns {Promise<any[]>}
   * @throws {RpcFailure} the first one's that fails
   */
  async all(calls, signal) {
    return (await this.settle(calls, signal)).map((settled) => {
      if (settled.status === 'rejected') throw settled.reason
      return settled.value
    })
  }

  /**
   * @param {readonly Call[]} calls
   * @param {AbortSignal} [signal]
   * @returns {Promise<PromiseSettledResult<any>[]>}
   */
  async #settleBatch(calls, signal) {
    const requests = calls.map((call) => this.#request(call))
    const { answer, status } = await this.#post(requests, signal)
    if (!Array.isArray(answer)) {
      // Batches may be limited to less, and a key may be over its limit.
      if (status !== 200 || calls.length === 1) resultOf(answer, status)
      return Promise.allSettled(calls.map(({ method, params }) => this.call(method, params, signal)))
    }
    const byId = new Map(answer.map((one) => [one?.id, one]))
    return Promise.allSettled(requests.map(async ({ id }) => resultOf(byId.get(id), status)))
  }

  /** @param {Call} call */
  #request({ method, params = [] }) {
    this.#lastId += 1
    return { jsonrpc: '2.0', id: this.#lastId, method, params }
  }

  /**
   * @param {unknown} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ answer: unknown, status: number }>}
   */
  async #post(body, signal) {
    /** @type {RequestInit} */
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
    }
    if (signal !== undefined) init.signal = signal
    let response
    try {
      response = await fetch(this.#endpoint.url, init)
    } catch (error) {
      if (signal?.aborted) throw error
      throw new RpcFailure('The node cannot be reached.', { status: 0 })
    }
    try {
      return { answer: await response.json(), status: response.status }
    } catch (error) {
      if (signal?.aborted) throw error
      throw new RpcFailure(`The node answered with HTTP status ${response.status}.`, {
        status: response.status,
      })
    }
  }
}

/**
 * @param {any} answer
 * @param {number} status
 * @returns {any}
 */
function resultOf(answer, status) {
  const error = answer?.error
  if (error !== undefined && error !== null) {
    throw new RpcFailure(String(error.message), { code: Number(error.code), status, data: error.data })
  }
  if (answer?.result === undefined) throw new RpcFailure('The node gave no answer.', { status })
  return answer.result
}
