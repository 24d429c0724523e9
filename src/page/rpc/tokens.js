/** @import { Context, Log, Token } from '../types.js' */
/** @import { RpcClient } from './client.js' */
import { decodeName, uintAt } from '../chain/abi.js'

const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'
/** Tokens that are asked about for one list: whoever makes logs decides how many there are. */
const MAX_ASKED = 20
const MAX_KEPT = 500
/** The most that a number of 256 bits has digits for. */
const MAX_DECIMALS = 77n

/** What tokens tell about themselves, kept as long as the page. */
export class TokenBook {
  #client
  /** @type {Map<string, Token | null>} */
  #kept = new Map()

  /** @param {RpcClient} client */
  constructor(client) {
    this.#client = client
  }

  /** Forgets what tokens told: the chain was changed, and their addresses may be others'. */
  forget() {
    this.#kept.clear()
  }

  /**
   * Symbols and decimals of contracts, by their address in lower case; those that tell none are left out, as are those
   * beyond a number that one list may ask for.
   * @param {Iterable<string>} addresses
   * @param {AbortSignal} signal
   * @returns {Promise<ReadonlyMap<string, Token>>}
   */
  async read(addresses, signal) {
    const wanted = [...new Set([...addresses].map((address) => address.toLowerCase()))]
    const asked = wanted.filter((address) => !this.#kept.has(address)).slice(0, MAX_ASKED)
    if (this.#kept.size + asked.length > MAX_KEPT) this.#kept.clear()
    const calls = asked.flatMap((to) =>
      [SYMBOL, DECIMALS].map((data) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })),
    )
    const settled = await this.#client.attempt(calls, signal)
    for (const [index, address] of asked.entries()) {
      const [symbol, decimals] = settled.slice(2 * index, 2 * index + 2).map(textOf)
      this.#kept.set(address, tokenOf(symbol ?? '0x', decimals ?? '0x'))
    }
    return new Map(
      wanted.flatMap((address) => {
        const token = this.#kept.get(address) ?? null
        return token === null ? [] : [[address, token]]
      }),
    )
  }
}

/**
 * The tokens that logs may be of.
 * @param {Context} context
 * @param {readonly Log[]} logs
 * @param {AbortSignal} signal
 * @returns {Promise<ReadonlyMap<string, Token>>}
 */
export async function tokensOfLogs({ tokens, methods }, logs, signal) {
  if (!methods.has('eth_call')) return new Map()
  // Amounts of tokens stand in the data of events with two indexed addresses.
  const amounts = logs.filter(({ topics, data }) => topics.length === 3 && data.length === 66)
  return tokens.read(
    amounts.map(({ address }) => address),
    signal,
  )
}

/** @param {PromiseSettledResult<unknown>} settled */
function textOf(settled) {
  return settled.status === 'fulfilled' ? String(settled.value) : '0x'
}

/**
 * @param {string} symbol
 * @param {string} decimals
 * @returns {Token | null}
 */
function tokenOf(symbol, decimals) {
  const name = decodeName(symbol)
  const digits = uintAt(decimals, 0)
  if (name === null || name === '' || digits === null || digits > MAX_DECIMALS) return null
  return { symbol: name, decimals: Number(digits) }
}
