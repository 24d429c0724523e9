import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { optional } from '../params/param.ts'
import { atBlock } from '../select/resolveBlock.ts'

/** The two-way peg after a block: who holds the funds, what waits for what (rpc.md §3.10, decisions.md D64). */
export const getBridgeStatus = defineMethod({
  name: 'rsk_getBridgeStatus',
  aliases: ['ext_getBridgeStatus'],
  doc: 'The two-way peg after a block: federations, funds, peg-outs that wait and for what, the Bitcoin head, caps and fees.',
  params: [optional(blockRef(), LATEST)],
  result: { type: 'object' },
  lane: 'evm',
  cost: 20,
  cache: 'head',
  handler: (context, [block]) =>
    atBlock(context, block, (header) => new RawJson(context.execution.bridgeStatus(header))),
})
