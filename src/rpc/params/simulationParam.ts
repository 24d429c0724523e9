import type { AccountOverride } from '../../execution/callTypes.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { BLOCK_OVERRIDES_SCHEMA, type BlockOverrides, parseBlockOverrides } from './blockOverrides.ts'
import { type CallObject, callObject } from './callObject.ts'
import { isGiven, isJsonObject, type Param } from './param.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Most blocks of one request, those filled in between included. */
export const MAX_SIMULATED_BLOCKS = 256
/** Most calls of one request. */
const MAX_CALLS = 1000

/** A block of eth_simulateV1. */
export interface BlockStateCalls {
  readonly blockOverrides: BlockOverrides
  readonly stateOverrides: readonly AccountOverride[]
  readonly calls: readonly CallObject[]
}

/** The first parameter of eth_simulateV1. */
export interface Simulation {
  readonly blocks: readonly BlockStateCalls[]
  readonly validation: boolean
  /** True when payments of the native currency are logs, too. */
  readonly traceTransfers: boolean
  readonly fullTransactions: boolean
}

const OVERRIDES = stateOverrides('stateOverrides')
const CALL = callObject('call')

/** `{blockStateCalls, validation, traceTransfers, returnFullTransactions}`. */
export function simulation(name = 'simulation'): Param<Simulation> {
  return {
    name,
    schema: {
      type: 'object',
      properties: {
        blockStateCalls: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              blockOverrides: BLOCK_OVERRIDES_SCHEMA,
              stateOverrides: OVERRIDES.schema,
              calls: { type: 'array', items: CALL.schema },
            },
          },
        },
        validation: { type: 'boolean' },
        traceTransfers: { type: 'boolean' },
        returnFullTransactions: { type: 'boolean' },
      },
    },
    optional: false,
    parse: (value, method) => {
      if (!isJsonObject(value)) throw invalidParams(`Invalid ${name}: object expected.`)
      const { blockStateCalls, validation, traceTransfers, returnFullTransactions } = value
      if (!Array.isArray(blockStateCalls) || blockStateCalls.length === 0) {
        throw invalidParams('Invalid blockStateCalls: an array of blocks expected.')
      }
      const blocks = blockStateCalls.map((block: unknown) => parseBlock(block, method))
      if (blocks.length > MAX_SIMULATED_BLOCKS) {
        throw new RpcError('simulatedTooMuch', `too many blocks: at most ${MAX_SIMULATED_BLOCKS}`)
      }
      if (blocks.reduce((sum, { calls }) => sum + calls.length, 0) > MAX_CALLS) {
        throw new RpcError('simulatedTooMuch', `too many calls: at most ${MAX_CALLS}`)
      }
      return {
        blocks,
        validation: validation === true,
        traceTransfers: traceTransfers === true,
        fullTransactions: returnFullTransactions === true,
      }
    },
  }
}

function parseBlock(block: unknown, method: string): BlockStateCalls {
  if (!isJsonObject(block)) throw invalidParams('Invalid blockStateCalls: an array of blocks expected.')
  const { blockOverrides, stateOverrides: overrides, calls } = block
  if (isGiven(calls) && !Array.isArray(calls)) throw invalidParams('Invalid calls: an array expected.')
  return {
    blockOverrides: isGiven(blockOverrides) ? parseBlockOverrides(blockOverrides, method) : {},
    stateOverrides: isGiven(overrides) ? OVERRIDES.parse(overrides, method) : [],
    calls: ((calls ?? []) as unknown[]).map((call) => CALL.parse(call, method)),
  }
}
