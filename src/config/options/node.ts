import { join } from 'node:path'
import { NETWORK_NAMES } from '../networks/names.ts'
import type { OptionTable } from '../option.ts'

/** Identity, data directory, logging and threads of the node. */
export const NODE_OPTIONS = {
  network: {
    kind: 'choice',
    group: 'Node',
    values: NETWORK_NAMES,
    default: 'regtest',
    doc: 'Network whose rules and genesis are used; regtest is the local development chain',
  },
  activationHeights: {
    kind: 'optionalText',
    group: 'Node',
    placeholder: 'FILE',
    default: null,
    doc: 'JSON or YAML file with other heights of upgrades and rules, on regtest and devnet: {"iris300": 100, "rskip144": -1}; an upgrade stands for its rules as far as the network gives them no height of their own, -1 is never',
  },
  profile: {
    kind: 'choice',
    group: 'Node',
    values: ['dev', 'hosted'],
    default: ({ network }) => (network === 'regtest' || network === 'devnet' ? 'dev' : 'hosted'),
    defaultText: 'dev on regtest and devnet, else hosted',
    doc: 'Which methods are open: dev opens those that change the chain or hold keys, hosted only public ones',
  },
  clientName: {
    kind: 'choice',
    group: 'Node',
    values: ['rhizome', 'hardhat', 'anvil'],
    default: 'rhizome',
    doc: 'Whose name web3_clientVersion begins with on the dev profile: the helpers of Hardhat and Foundry refuse others than their own',
  },
  wallet: {
    kind: 'boolean',
    group: 'Node',
    default: ({ profile }) => profile === 'dev',
    defaultText: 'on with the dev profile, else off',
    doc: 'Hold keys in <data-dir>/keystore and sign with them; the hosted profile never does',
  },
  dataDir: {
    kind: 'text',
    group: 'Node',
    placeholder: 'DIR',
    default: ({ home, network, isFork }) => join(home(), '.rhizome', isFork ? 'fork' : network),
    defaultText: '~/.rhizome/<network>, ~/.rhizome/fork of a fork',
    doc: 'Directory of chain, state and keys; one per network',
  },
  config: {
    kind: 'optionalText',
    group: 'Node',
    placeholder: 'FILE',
    default: null,
    inFile: false,
    doc: 'YAML or JSON file with options under their file keys',
  },
  workers: {
    kind: 'integer',
    group: 'Node',
    minimum: 1,
    maximum: 128,
    default: ({ processors }) => Math.max(2, processors),
    defaultText: 'processors, at least 2',
    doc: 'Threads that answer reads, calls and traces; on the dev profile all but one are started when they are needed',
  },
  logLevel: {
    kind: 'choice',
    group: 'Node',
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    doc: 'Least severe log entries that are written',
  },
  logFormat: {
    kind: 'choice',
    group: 'Node',
    values: ['auto', 'pretty', 'json'],
    default: 'auto',
    doc: 'Form of log entries; auto is pretty on a terminal and JSON elsewhere',
  },
} as const satisfies OptionTable
