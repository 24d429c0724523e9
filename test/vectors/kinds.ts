import { COMPRESSED_ENDING } from '../support/jsonLines.ts'
import type { Comparison } from './comparison.ts'
import { compareBridge } from './kinds/bridge.ts'
import { compareChain, compareScenario } from './kinds/chain.ts'
import { compareDifficulty } from './kinds/difficulty.ts'
import { compareGenesis } from './kinds/genesis.ts'
import { compareHeadersBlocks } from './kinds/headersBlocks.ts'
import { compareOrchidStates } from './kinds/orchidStates.ts'
import { compareBehaviour } from './kinds/p2p/behaviour.ts'
import { compareHandshakes } from './kinds/p2p/handshake.ts'
import { compareMessages } from './kinds/p2p/messages.ts'
import { compareServed } from './kinds/p2pServe.ts'
import { comparePow } from './kinds/pow.ts'
import { comparePrecompiles } from './kinds/precompiles.ts'
import { compareRemasc } from './kinds/remasc.ts'
import { compareTransactions } from './kinds/transactions.ts'
import { compareUnitrie } from './kinds/unitrie.ts'
import { compareVmEnvironments } from './kinds/vmEnvironments.ts'
import { compareVmTransactions } from './kinds/vmTransactions.ts'

/** A vector file: its path, and its lines as values, which are read when they are asked for. */
export interface VectorFile {
  readonly path: string
  lines(): AsyncIterable<unknown>
}

/** A kind of vector file, known by the file's name. */
export interface VectorKind {
  readonly name: string
  /** Tested against the whole path, with forward slashes and without what compression adds. */
  readonly pattern: RegExp
  compare(file: VectorFile, comparison: Comparison): void | Promise<void>
}

/** A kind of vector file that the runner leaves alone, and why. */
export interface OtherKind {
  readonly name: string
  readonly pattern: RegExp
  readonly reason: string
}

/** Compared by a program of the native workspace, which is built first. */
export const BRIDGE: VectorKind = {
  name: 'bridge',
  pattern: /(^|\/)bridge-[^/]*\.jsonl$/,
  compare: (file, comparison) => compareBridge(file.path, comparison),
}

/** Every kind that the runner compares. */
export const VECTOR_KINDS: readonly VectorKind[] = [
  lineKind('headers-blocks', compareHeadersBlocks),
  lineKind('difficulty', compareDifficulty),
  lineKind('transactions', compareTransactions),
  lineKind('pow', comparePow),
  lineKind('unitrie', compareUnitrie),
  lineKind('orchid-states', compareOrchidStates),
  lineKind('precompiles', comparePrecompiles),
  lineKind('vm-transactions', compareVmTransactions),
  lineKind('vm-environments', compareVmEnvironments),
  lineKind('remasc', compareRemasc),
  lineKind('p2p-handshake', compareHandshakes),
  lineKind('p2p-messages', compareMessages),
  lineKind('p2p-sessions', compareSessions),
  lineKind('p2p-snap', compareMessages),
  lineKind('p2p-behaviour', compareBehaviour),
  { ...lineKind('chain', compareChain), pattern: /(^|\/)chain-[^/]*\.jsonl$/ },
  { ...lineKind('dsl', compareScenario), pattern: /(^|\/)dsl[^/]*\/[^/]+\.jsonl$/ },
  BRIDGE,
  {
    name: 'genesis',
    pattern: /(^|\/)genesis-[^/]*\.json$/,
    compare: (file, comparison) => compareGenesis(file.path, comparison),
  },
]

/** Kinds whose files are known and not compared by the runner. */
export const OTHER_KINDS: readonly OtherKind[] = [
  {
    name: 'rpc',
    pattern: /(^|\/)rpc-[^/]*\.jsonl$/,
    reason: 'compared by `npm run replay` and test/replay/scenario',
  },
  { name: 'state', pattern: /(^|\/)state-[^/]*\.json$/, reason: 'compared by test/proof' },
]

/** Files beside the vectors that hold none. */
const ABOUT_VECTORS = /(\.md|(^|\/)lines\.json)$/

/** What a file is: a kind to compare, one that is left alone, `about` for what describes vectors; else undefined. */
export function kindOf(path: string): VectorKind | OtherKind | 'about' | undefined {
  const name = path.replace(COMPRESSED_ENDING, '')
  const matches = ({ pattern }: { readonly pattern: RegExp }) => pattern.test(name)
  if (ABOUT_VECTORS.test(name)) return 'about'
  return VECTOR_KINDS.find(matches) ?? OTHER_KINDS.find(matches)
}

/** Every message as it is read and written, and what this node would have answered. */
async function compareSessions(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
): Promise<void> {
  const kept: unknown[] = []
  await compareMessages(keeping(lines, kept), comparison)
  await compareServed(kept, comparison, path)
}

async function* keeping(lines: AsyncIterable<unknown>, kept: unknown[]): AsyncGenerator<unknown> {
  for await (const line of lines) {
    kept.push(line)
    yield line
  }
}

function lineKind(
  name: string,
  compare: (lines: AsyncIterable<unknown>, comparison: Comparison, path: string) => Promise<void>,
): VectorKind {
  return {
    name,
    pattern: new RegExp(`(^|/)${name}[^/]*\\.jsonl$`),
    compare: (file, comparison) => compare(file.lines(), comparison, file.path),
  }
}
