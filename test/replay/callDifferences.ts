import type { ListedDifference, Pair } from './differences.ts'

const SIMULATIONS = /^eth_(call|estimateGas)$/

/** Where simulated calls differ on purpose. */
export const CALL_DIFFERENCES: readonly ListedDifference[] = [
  {
    methods: 'eth_call',
    topic: 'calls',
    what: 'a call that fails without a revert is -32015 with the reason; the reference answers `0x`',
    why: 'decisions.md D31',
    applies: ({ method, expected, found }) =>
      method === 'eth_call' &&
      expected.result === '0x' &&
      found.error?.code === -32015 &&
      found.error.data === undefined,
  },
  {
    methods: 'eth_call, eth_estimateGas, eth_simulateV1, eth_createAccessList',
    topic: 'calls',
    what: 'a revert has code 3 and `execution reverted: …` on the dev profile, and -32015 as of the reference on the hosted one (option `revertErrors`)',
    why: 'decisions.md D43',
    // The replay has the option of the reference.
    applies: () => false,
  },
  {
    methods: 'eth_estimateGas',
    topic: 'calls',
    what: 'the gas with which the transaction succeeds, found by execution, or the reason why it cannot: it fails, funds are missing, or the gas limit is too low',
    why: 'decisions.md D32; specification.md Errors: -32000 when a simulated step fails',
    applies: ({ method, expected, found }) =>
      method === 'eth_estimateGas' &&
      (typeof found.result === 'string' || found.error?.code === -32000) &&
      (typeof expected.result === 'string' || expected.error?.code === -32603),
  },
  {
    methods: 'eth_call',
    topic: 'calls',
    what: 'gas above 63 bits is reduced to the cap',
    why: 'decisions.md D22: -32603 internal',
    applies: ({ method, expected, params }) =>
      method === 'eth_call' && expected.error?.code === -32603 && gasOf(params) > 0x7fff_ffff_ffff_ffffn,
  },
  {
    methods: 'eth_call',
    topic: 'calls',
    what: '`movePrecompileToAddress` is -32602',
    why: 'specification.md State override set: unsupported',
    applies: ({ method, params, found }) =>
      method === 'eth_call' &&
      /movePrecompileToAddress/.test(JSON.stringify(params[2])) &&
      found.error?.message === 'movePrecompileToAddress is not supported',
  },
  {
    methods: 'eth_call, eth_estimateGas',
    topic: 'calls',
    what: 'malformed overrides are -32602 with the reason; the id is preserved',
    why: 'decisions.md D22: -32602 parameters',
    applies: ({ method, expected, found, params }) =>
      SIMULATIONS.test(method) &&
      params.length === 3 &&
      expected.error?.code === -32700 &&
      found.error?.code === -32602,
  },
]

function gasOf(params: Pair['params']): bigint {
  const { gas } = (params[0] ?? {}) as { gas?: unknown }
  return typeof gas === 'string' && /^0x[0-9a-f]+$/.test(gas) ? BigInt(gas) : 0n
}
