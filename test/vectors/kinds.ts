import type { Comparison } from './comparison.ts'
import { compareChain, compareScenario } from './kinds/chain.ts'
import { compareDifficulty } from './kinds/difficulty.ts'
import { compareHeadersBlocks } from './kinds/headersBlocks.ts'
import { comparePow } from './kinds/pow.ts'
import { comparePrecompiles } from './kinds/precompiles.ts'
import { compareRemasc } from './kinds/remasc.ts'
import { compareTransactions } from './kinds/transactions.ts'
import { compareUnitrie } from './kinds/unitrie.ts'
import { compareVmEnvironments } from './kinds/vmEnvironments.ts'
import { compareVmTransactions } from './kinds/vmTransactions.ts'

/** A vector file: its path and its lines as parsed JSON. */
export interface VectorFile {
  readonly path: string
  readonly lines: readonly unknown[]
}

/** A kind of vector file, known by the file's name. */
export interface VectorKind {
  readonly name: string
  /** Tested against the path below the given folder, with forward slashes. */
  readonly pattern: RegExp
  compare(file: VectorFile, comparison: Comparison): void | Promise<void>
}

/** Every kind that the runner knows. */
export const VECTOR_KINDS: readonly VectorKind[] = [
  lineKind('headers-blocks', compareHeadersBlocks),
  lineKind('difficulty', compareDifficulty),
  lineKind('transactions', compareTransactions),
  lineKind('pow', comparePow),
  lineKind('unitrie', compareUnitrie),
  lineKind('precompiles', comparePrecompiles),
  lineKind('vm-transactions', compareVmTransactions),
  lineKind('vm-environments', compareVmEnvironments),
  lineKind('remasc', compareRemasc),
  { ...lineKind('chain', compareChain), pattern: /(^|\/)chain-[^/]*\.jsonl$/ },
  { ...lineKind('dsl', compareScenario), pattern: /(^|\/)dsl[^/]*\/[^/]+\.jsonl$/ },
]

/** The kind of a file, or undefined for a file that is no vector file. */
export function kindOf(path: string): VectorKind | undefined {
  return VECTOR_KINDS.find((kind) => kind.pattern.test(path))
}

function lineKind(
  name: string,
  compare: (lines: readonly unknown[], comparison: Comparison, path: string) => void | Promise<void>,
): VectorKind {
  return {
    name,
    pattern: new RegExp(`(^|/)${name}[^/]*\\.jsonl$`),
    compare: (file, comparison) => compare(file.lines, comparison, file.path),
  }
}
