import { createGenesis } from '../../../src/chain/genesis.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { NativeGenesisState } from '../../../src/execution/genesisState.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { StateStore } from '../../../src/native/stateStore.ts'
import { stateRootAfter } from '../../../src/state/stateRoot.ts'
import { readText } from '../../support/jsonLines.ts'
import type { Comparison } from '../comparison.ts'

interface GenesisVector {
  readonly network: NetworkName
  readonly hash: string
  readonly rawHeader: string
  readonly genesisBlock: {
    readonly rlp: string
    readonly stateRoot: string
    readonly unitrieRoot: string
  }
}

/** genesis-*.json: block 0 of a network and the root of its state. */
export function compareGenesis(path: string, comparison: Comparison): void {
  const recorded = JSON.parse(readText(path)) as GenesisVector
  comparison.case(`genesis of ${recorded.network}`, (values) => {
    const spec = networkByName(recorded.network)
    const store = StateStore.inMemory()
    const nativeSpec = createNativeChainSpec(spec)
    const block = createGenesis(spec, new NativeGenesisState({ spec, nativeSpec, store }))
    values.equal('hash', recorded.hash, block.hash)
    values.equal('hash of the network', recorded.hash, spec.genesis.hash)
    values.equal('block', recorded.genesisBlock.rlp, block.encoded)
    values.equal('header', recorded.rawHeader, block.header.encodedRaw)
    values.equal('state root', recorded.genesisBlock.stateRoot, block.header.fields.stateRoot)
    values.equal('Unitrie root', recorded.genesisBlock.unitrieRoot, stateRootAfter(spec, store, block.header))
  })
}
