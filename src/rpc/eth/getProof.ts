import { toHex } from '../../util/bytes.ts'
import type { SlotProof } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import type { Json } from '../json.ts'
import { blockRef } from '../shared/params/blockSelector.ts'
import { address } from '../shared/params/hex.ts'
import { parseUnsigned } from '../shared/params/number.ts'
import { nodeText, type Param } from '../shared/params/param.ts'
import { quantity, quantityOfBytes } from '../shared/quantity.ts'
import { atBlock } from '../shared/resolveBlock.ts'

/** Cells that one request may prove. */
const MAX_SLOTS = 1024

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

/** Unitrie nodes from the state root to an account and to some of its cells (design.md §4). */
export const getProof = defineMethod({
  name: 'eth_getProof',
  doc: 'Trie nodes that prove an account and some of its storage cells.',
  params: [address(), slots, blockRef({ pending: false })],
  result: { title: 'account proof' },
  lane: 'proof',
  cost: 10,
  cache: 'head',
  handler: (context, [account, keys, block]) =>
    atBlock(context, block, (header): Json => {
      const proof = context.state.at(header).prove(account, keys)
      return {
        address: toHex(account),
        balance: quantity(proof.account?.balance ?? 0n),
        codeHash: toHex(proof.codeHash),
        nonce: quantity(proof.account?.nonce ?? 0n),
        storageHash: toHex(proof.storageHash),
        accountProof: proof.nodes.map(toHex),
        storageProof: proof.slots.map((slot, i) => formatSlot(keys[i] ?? 0n, slot)),
      }
    }),
})

function formatSlot(key: bigint, { value, nodes }: SlotProof): Json {
  return {
    key: quantity(key),
    value: value === null ? '0x0' : quantityOfBytes(value),
    proof: nodes.map(toHex),
  }
}
