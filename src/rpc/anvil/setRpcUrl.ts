import { UpstreamError } from '../../fork/errors.ts'
import { upstreamUrls } from '../../fork/upstreamName.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import type { Param } from '../params/param.ts'

/**
 * Asks other addresses for what is below a fork: those of the same network with the same block. What was fetched stays.
 * Messages have no more of an address than its host, which may hold a key.
 */
export const setRpcUrl = defineMethod({
  name: 'anvil_setRpcUrl',
  aliases: ['hardhat_setRpcUrl'],
  doc: 'Asks other addresses, separated by commas, for the network of a fork, once they have shown chain id, genesis and block of the fork.',
  params: [addresses()],
  result: { type: 'null' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  audience: 'dev',
  handler: async ({ belowFork, chain }, [urls]) => {
    if (belowFork === undefined)
      throw invalidParams('this chain is no fork: begin one with --fork-url, or with hardhat_reset')
    try {
      const genesis = chain.hashByNumber(0)
      await belowFork.replaceUpstream(urls, genesis === null ? '' : toHex(genesis))
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof RangeError)
        throw invalidParams(`Invalid url: ${error.message}`)
      throw error
    }
    return null
  },
})

function addresses(): Param<readonly string[]> {
  return {
    name: 'url',
    schema: { type: 'string' },
    optional: false,
    parse: (value) => {
      const urls = typeof value === 'string' ? upstreamUrls(value) : []
      if (urls.length === 0 || !urls.every((url) => /^https?:\/\/./.test(url) && URL.canParse(url)))
        throw invalidParams('Invalid url: expected addresses such as https://host/path, separated by commas')
      return urls
    },
  }
}
