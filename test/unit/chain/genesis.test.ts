import t from 'tap'
import { createGenesis } from '../../../src/chain/genesis.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { NETWORK_NAMES } from '../../../src/config/networks/names.ts'
import { NativeGenesisState } from '../../../src/execution/genesisState.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { StateStore } from '../../../src/native/stateStore.ts'
import { stateRootAfter } from '../../../src/state/stateRoot.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { readVectorJson } from '../../support/vectors.ts'

interface GenesisVector {
  readonly hash: string
  readonly rawHeader: string
  readonly genesisBlock: {
    readonly rlp: string
    readonly stateRoot: string
    readonly unitrieRoot: string
  }
}

for (const name of NETWORK_NAMES) {
  t.test(`block 0 and state of ${name} equal the recorded ones`, (t) => {
    const recorded = readVectorJson<GenesisVector>(`genesis/genesis-${name}.json`)
    const spec = networkByName(name)
    const store = StateStore.inMemory()
    const block = createGenesis(
      spec,
      new NativeGenesisState({ spec, nativeSpec: createNativeChainSpec(spec), store }),
    )
    t.equal(toHex(block.hash), recorded.hash)
    t.equal(toHex(block.hash), spec.genesis.hash)
    t.equal(toHex(block.encoded), recorded.genesisBlock.rlp)
    t.equal(toHex(block.header.encodedRaw), recorded.rawHeader)
    t.equal(toHex(block.header.fields.stateRoot), recorded.genesisBlock.stateRoot)
    t.equal(toHex(stateRootAfter(spec, store, block.header)), recorded.genesisBlock.unitrieRoot)
    t.end()
  })
}
