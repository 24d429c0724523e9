import type { Test } from 'tap'
import { Block } from '../../src/chain/codec/block.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { OpenChain } from '../../src/execution/openChain.ts'
import { sealInProcess } from '../../src/mining/seal.ts'
import { stateRootOfHeader } from '../../src/state/stateRoot.ts'
import { BlockMaker } from './blockMaker.ts'
import { REGTEST } from './openTestChain.ts'

/** Heights of the chain: from RSKIP85 on roots bind, from RSKIP126 on headers name the Unitrie root. */
export const BINDING = 10
export const UNITRIE = 30
export const OLDER_ROOT_HEIGHTS = { rskip85: BINDING, rskip126: UNITRIE }
export const OLDER_ROOT_SPEC: NetworkSpec = {
  ...REGTEST,
  activationHeights: { ...REGTEST.activationHeights, ...OLDER_ROOT_HEIGHTS },
}

/** A chain of 35 blocks whose headers name their states as those of main do: no builder of today writes that. */
export async function makeOlderRootChain(t: Test): Promise<OpenChain & { readonly dataDir: string }> {
  const maker = new BlockMaker(t, OLDER_ROOT_SPEC)
  const { open } = maker
  for (let tip = maker.genesis; tip.number < 35; ) {
    const [built] = maker.extend(tip, 1)
    if (built === undefined) throw new Error('no block')
    tip = built
    if (built.number >= UNITRIE) continue
    const root = stateRootOfHeader(OLDER_ROOT_SPEC, open.stateStore, built.header)
    const stateRoot = await open.stateStore.orchidStateRoot(root)
    if (stateRoot === null) throw new Error('no root')
    tip = sealInProcess(new Block(built.header.with({ stateRoot }), built.transactions, built.uncles))
    open.chain.connect(tip)
  }
  return open as OpenChain & { readonly dataDir: string }
}

/** Lets the blocks from a height on have another state than they came to. @returns what they have */
export function mistakeStates({ chain, stateStore }: OpenChain, from: number): Buffer {
  const header = chain.reader.headerByNumber(3)
  if (header === null) throw new Error('no block 3')
  const other = stateRootOfHeader(OLDER_ROOT_SPEC, stateStore, header)
  for (let number = from; number < UNITRIE; number += 1) {
    const hash = chain.reader.hashByNumber(number)
    if (hash !== null) stateStore.putRoot(hash, other)
  }
  stateStore.commit()
  return header.fields.stateRoot
}
