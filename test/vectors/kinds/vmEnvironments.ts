import { parseBlockUnchecked } from '../../../src/chain/codec/block.ts'
import { EMPTY_TRIE_HASH } from '../../../src/chain/codec/constants.ts'
import { activeRules } from '../../../src/config/activations.ts'
import type { NetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { createNativeChainSpec } from '../../../src/native/chainSpec.ts'
import { callPrecompile } from '../../../src/native/precompile.ts'
import { StateStore } from '../../../src/native/stateStore.ts'
import { EMPTY_BYTES, fromHex } from '../../../src/util/bytes.ts'
import { RECORDED_RULES } from '../../support/recordedRules.ts'
import type { CaseValues, Comparison } from '../comparison.ts'

interface Line {
  readonly network: NetworkName
  readonly number: string
  readonly parentHash: string
  readonly activeRules: readonly string[]
  readonly activePrecompiles: readonly string[]
  readonly ancestors: readonly {
    readonly number: string
    readonly hash: string
    readonly rlp: string | null
  }[]
}

/** vm-environments.jsonl: rules and contracts of the heights that transactions are recorded at, and their ancestors. */
export async function compareVmEnvironments(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  for await (const line of lines) {
    const vector = line as Line
    comparison.case(`${vector.network} ${Number(vector.number)}`, (values) =>
      compareEnvironment(vector, values),
    )
  }
}

function compareEnvironment(vector: Line, values: CaseValues): void {
  const spec = networkByName(vector.network)
  const number = Number(vector.number)
  const active = activeRules(spec, number).filter((rule) => RECORDED_RULES.has(rule))
  values.equal('active rules', [...vector.activeRules].sort(), active.sort())
  for (const address of vector.activePrecompiles) {
    values.equal(`contract ${address}`, true, isPrecompile(spec, number, fromHex(address)))
  }
  values.equal('parent', vector.parentHash, vector.ancestors[0]?.hash)
  vector.ancestors.forEach((ancestor, index) => {
    values.equal(`height of ancestor ${index}`, number - 1 - index, Number(ancestor.number))
    if (ancestor.rlp === null) return
    const { header } = parseBlockUnchecked(spec, fromHex(ancestor.rlp))
    values.equal(`hash of ancestor ${index}`, ancestor.hash, header.hash)
    const below = vector.ancestors[index + 1]
    if (below !== undefined) values.equal(`parent of ancestor ${index}`, below.hash, header.parentHash)
  })
}

function isPrecompile(spec: NetworkSpec, number: number, address: Buffer): boolean {
  const call = callPrecompile(createNativeChainSpec(spec), StateStore.inMemory(), {
    root: EMPTY_TRIE_HASH,
    block: {
      number,
      timestamp: 0n,
      difficulty: EMPTY_BYTES,
      gasLimit: 0n,
      coinbase: Buffer.alloc(20),
      minimumGasPrice: EMPTY_BYTES,
      parentHash: Buffer.alloc(32),
    },
    address,
    input: EMPTY_BYTES,
    gasLimit: 0n,
  })
  return call !== null
}
