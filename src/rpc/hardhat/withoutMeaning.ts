import { defineMethod, type MethodDefinition } from '../defineMethod.ts'
import type { Param } from '../params/param.ts'

/**
 * What the helpers of Hardhat and Foundry set and this chain does not have: a random value of the beacon chain, a
 * base fee, and logs of their own. Accepted without effect, because fixtures set them in passing.
 */
export const METHODS_WITHOUT_MEANING: readonly MethodDefinition[] = [
  accepted('hardhat_setPrevRandao', 'anvil_setPrevRandao', 'blocks have no random value'),
  accepted(
    'hardhat_setNextBlockBaseFeePerGas',
    'anvil_setNextBlockBaseFeePerGas',
    'blocks have no base fee (see anvil_setMinGasPrice)',
  ),
  accepted('hardhat_setLoggingEnabled', 'anvil_setLoggingEnabled', 'the node logs as it was configured'),
]

function accepted(name: string, alias: string, why: string): MethodDefinition {
  return defineMethod({
    name,
    aliases: [alias],
    doc: `Accepted without effect: ${why}.`,
    params: [anything()],
    result: { type: 'boolean' },
    lane: 'inline',
    cost: 1,
    cache: 'none',
    audience: 'dev',
    handler: () => true,
  })
}

function anything(): Param<unknown> {
  return { name: 'value', schema: {}, optional: false, parse: (value) => value }
}
