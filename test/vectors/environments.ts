import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseBlockUnchecked } from '../../src/chain/codec/block.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import type { NetworkName } from '../../src/config/networks/names.ts'
import { nativeAncestorOf } from '../../src/execution/nativeAncestor.ts'
import { createNativeChainSpec, type NativeChainSpec } from '../../src/native/chainSpec.ts'
import { StateStore } from '../../src/native/stateStore.ts'
import type { AncestorMetadata } from '../../src/native/types.ts'
import { EMPTY_BYTES, fromHex } from '../../src/util/bytes.ts'
import { COMPRESSED_ENDING, readJsonLines } from '../support/jsonLines.ts'

const ENVIRONMENT_FILE = /^vm-environments[^/]*\.jsonl$/

interface AncestorVector {
  readonly number: string
  readonly hash: string
  readonly totalDifficulty: string
  readonly rlp: string | null
}
interface EnvironmentVector {
  readonly network: NetworkName
  readonly number: string
  readonly parentHash: string
  readonly activePrecompiles: readonly string[]
  readonly ancestors: readonly AncestorVector[]
}

/** Where recorded transactions and calls run: a network at a height, with its ancestors in a store. */
export interface VectorEnvironment {
  readonly spec: NetworkSpec
  readonly nativeSpec: NativeChainSpec
  readonly store: StateStore
  readonly parentHash: Buffer
  readonly activePrecompiles: readonly Buffer[]
}

/** The environments recorded beside a vector file, by network and height. */
export class VectorEnvironments {
  readonly #environments = new Map<string, VectorEnvironment>()

  /** @param path vector file in whose folder `vm-environments*.jsonl` lie, plain or compressed */
  constructor(path: string) {
    const folder = dirname(path)
    for (const name of readdirSync(folder)) {
      if (!ENVIRONMENT_FILE.test(name.replace(COMPRESSED_ENDING, ''))) continue
      for (const line of readJsonLines(join(folder, name))) {
        const vector = line as EnvironmentVector
        this.#environments.set(keyOf(vector.network, vector.number), createEnvironment(vector))
      }
    }
  }

  /** @throws Error when none is recorded */
  at(network: string, number: string): VectorEnvironment {
    const environment = this.#environments.get(keyOf(network, number))
    if (environment === undefined) throw new Error(`no environment of ${network} at ${number}`)
    return environment
  }
}

function keyOf(network: string, number: string): string {
  return `${network} ${Number(number)}`
}

function createEnvironment(vector: EnvironmentVector): VectorEnvironment {
  const spec = networkByName(vector.network)
  const store = StateStore.inMemory()
  vector.ancestors.forEach((ancestor, index) => {
    store.putAncestor(factsOf(spec, ancestor, vector.ancestors[index + 1]?.hash))
  })
  return {
    spec,
    nativeSpec: createNativeChainSpec(spec),
    store,
    parentHash: fromHex(vector.parentHash),
    activePrecompiles: vector.activePrecompiles.map(fromHex),
  }
}

/** Of the older ancestors only height and hash are recorded: programs ask for no more of them. */
function factsOf(
  spec: NetworkSpec,
  vector: AncestorVector,
  parentHash: string | undefined,
): AncestorMetadata {
  const totalDifficulty = BigInt(vector.totalDifficulty)
  if (vector.rlp !== null)
    return nativeAncestorOf(parseBlockUnchecked(spec, fromHex(vector.rlp)), totalDifficulty, null)
  return {
    hash: fromHex(vector.hash),
    parentHash: parentHash === undefined ? Buffer.alloc(32) : fromHex(parentHash),
    number: Number(vector.number),
    timestamp: 0n,
    coinbase: Buffer.alloc(20),
    minimumGasPrice: EMPTY_BYTES,
    gasLimit: EMPTY_BYTES,
    gasUsed: 0,
    difficulty: EMPTY_BYTES,
    paidFees: EMPTY_BYTES,
    uncleCount: 0,
    totalDifficulty: EMPTY_BYTES,
    uncles: [],
  }
}
