import type { Eventually, NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { DELEGATE_TO_WORKER, type Forward, RawBytes, type RpcResult } from '../json.ts'
import { type BlockSelector, blockRef } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { parseUnsigned } from '../params/number.ts'
import { nodeText, type Param } from '../params/param.ts'
import { atBlock, isRecent } from '../select/resolveBlock.ts'

/** Cells that one request may prove. */
const MAX_SLOTS = 1024
/** Cells that the front thread proves, where that takes less than the way to a worker. */
const MAX_SLOTS_IN_FRONT = 8

const slots: Param<readonly bigint[]> = {
  name: 'storageKeys',
  schema: { type: 'array', items: { type: 'string' } },
  optional: false,
  parse: (value) => {
    if (!Array.isArray(value)) throw invalidParams('Invalid storageKeys: array expected.')
    if (value.length > MAX_SLOTS) throw invalidParams(`Invalid storageKeys: at most ${MAX_SLOTS} expected.`)
    return value.map((key) => parseUnsigned(nodeText(key)))
  },
}

/** Unitrie nodes from the state root to an account and to some of its cells (decisions.md D42). */
export const getProof = defineMethod({
  name: 'eth_getProof',
  doc: 'Trie nodes that prove an account and some of its storage cells.',
  params: [address(), slots, blockRef({ pending: false })],
  result: { title: 'account proof' },
  lane: 'proof',
  cost: 10,
  cache: 'head',
  fast: (context, [account, keys, block]) => {
    if (keys.length > MAX_SLOTS_IN_FRONT || !isRecent(context, block)) return DELEGATE_TO_WORKER
    return prove(context, block, account, keys, true)
  },
  handler: (context, [account, keys, block]) => prove(context, block, account, keys, false),
})

/** @param isFast whether nothing may be read from disk */
function prove(
  context: NodeContext,
  block: BlockSelector,
  account: Buffer,
  keys: readonly bigint[],
  isFast: boolean,
): Eventually<RpcResult | Forward> {
  return atBlock(context, block, (header) => {
    const proof = context.state.at(header).prove(account, keys, isFast)
    return proof === null ? DELEGATE_TO_WORKER : new RawBytes(proof)
  })
}
