import { networkByName } from '../networks/byName.ts'
import type { OptionTable } from '../option.ts'

/** Longest interval of blocks, seconds. */
export const MAX_BLOCK_TIME_SECONDS = 86_400

/** Gas of blocks of a development chain. */
const DEVELOPMENT_TARGET = 10_000_000

/** The transaction pool (consensus.md §9.1) and the production of blocks. */
export const PRODUCTION_OPTIONS = {
  accountSlots: {
    kind: 'integer',
    group: 'Pool',
    minimum: 1,
    maximum: 10_000,
    // Tests and deployments send more at once than the reference takes (decisions.md D75).
    default: ({ profile }) => (profile === 'dev' ? 10_000 : 16),
    defaultText: '10000 on the dev profile, else 16',
    doc: 'Transactions of one account that the pool holds',
  },
  gasPriceBump: {
    kind: 'integer',
    group: 'Pool',
    minimum: 0,
    maximum: 1000,
    default: 40,
    doc: 'Percentage by which the gas price must rise to replace a transaction',
  },
  outdatedBlocks: {
    kind: 'integer',
    group: 'Pool',
    minimum: 1,
    maximum: 1_000_000,
    default: 10,
    doc: 'Blocks after which a waiting transaction leaves the pool',
  },
  outdatedTime: {
    kind: 'integer',
    group: 'Pool',
    minimum: 1,
    maximum: 31_536_000,
    unit: 'seconds',
    default: 650,
    doc: 'Seconds after which a waiting transaction leaves the pool',
  },
  accountQuota: {
    kind: 'boolean',
    group: 'Pool',
    default: ({ profile }) => profile !== 'dev',
    defaultText: 'off on the dev profile, else on',
    doc: 'Limit how much gas an account may ask for in a time, as the reference node does',
  },
  mining: {
    kind: 'boolean',
    group: 'Block production',
    default: ({ network }) => network === 'regtest',
    defaultText: 'on for regtest, else off',
    doc: 'Make blocks',
  },
  blockTime: {
    kind: 'integer',
    group: 'Block production',
    minimum: 0,
    maximum: MAX_BLOCK_TIME_SECONDS,
    unit: 'seconds',
    default: 0,
    doc: 'Seconds between blocks; 0 makes one as soon as there is a transaction',
  },
  coinbase: {
    kind: 'optionalText',
    group: 'Block production',
    placeholder: 'ADDRESS',
    pattern: /^0x[0-9a-fA-F]{40}$/,
    default: null,
    doc: 'Account that receives the rewards; none on regtest means the known development account',
  },
  minimumGasPrice: {
    kind: 'integer',
    group: 'Block production',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    unit: 'wei',
    default: 0,
    doc: 'Least gas price in wei that blocks move towards',
  },
  targetGasLimit: {
    kind: 'integer',
    group: 'Block production',
    minimum: 3_000_000,
    maximum: 1_000_000_000,
    unit: 'gas',
    default: ({ network, profile, isProducing }) =>
      network === 'regtest' && profile === 'dev' && isProducing
        ? DEVELOPMENT_TARGET
        : networkByName(network).mining.targetGasLimit,
    defaultText:
      '10000000 where the dev profile makes blocks of regtest, 7500000 elsewhere on regtest, else 6800000',
    doc: 'Gas limit that blocks move towards',
  },
} as const satisfies OptionTable
