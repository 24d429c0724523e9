import { PROOFS_PATTERN } from '../keptStates.ts'
import type { OptionTable } from '../option.ts'

/** Commits and caches. */
export const STORE_OPTIONS = {
  commitEvery: {
    kind: 'integer',
    group: 'Store',
    minimum: 1,
    maximum: 10_000,
    default: 64,
    doc: 'Blocks that an import makes durable together; an interrupted import repeats at most these',
  },
  storeLimit: {
    kind: 'integer',
    group: 'Store',
    minimum: 0,
    maximum: 67_108_864,
    default: ({ network }) => (network === 'main' || network === 'testnet' ? 0 : 262_144),
    defaultText: '0 on main and testnet, else 262144',
    doc: 'Largest size of the files of each store, in MiB: address space is reserved for it, memory and disk are not. At this size nothing more is written; 0 goes by the size of the disk',
  },
  proofs: {
    kind: 'text',
    group: 'Store',
    placeholder: 'archive|blocks:N',
    pattern: PROOFS_PATTERN,
    default: 'archive',
    doc: 'Blocks whose tries are kept, for proofs: archive for all, blocks:N for the newest N; older tries are given up for good, values of states stay',
  },
  history: {
    kind: 'text',
    group: 'Store',
    placeholder: 'archive|blocks:N',
    pattern: PROOFS_PATTERN,
    default: 'archive',
    doc: 'Blocks whose values of states are kept, for balances, calls and traces: archive for all, blocks:N for the newest N, at least as many as --proofs keeps; older values are given up for good',
  },
  stateCache: {
    kind: 'integer',
    group: 'Store',
    minimum: 8,
    maximum: 1_048_576,
    default: 256,
    doc: 'Memory for trie nodes and code, shared by all threads, in MiB',
  },
  encodedObjectCache: {
    renamedFrom: { name: 'textCache', until: '0.2' },
    kind: 'integer',
    group: 'Store',
    minimum: 1,
    maximum: 1_048_576,
    default: 32,
    doc: 'Memory for the cache of encoded objects (logs, receipts, transactions and blocks as JSON), shared by all threads, in MiB',
  },
  responseCache: {
    renamedFrom: { name: 'answerCache', until: '0.2' },
    kind: 'integer',
    group: 'Store',
    minimum: 0,
    maximum: 1_048_576,
    default: 64,
    doc: 'Memory for the response cache, which is emptied when the head changes, in MiB; 0 switches it off',
  },
} as const satisfies OptionTable
