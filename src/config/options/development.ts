import type { OptionTable } from '../option.ts'

/** The funded accounts of a development chain, and what developers see of their contracts. */
export const DEVELOPMENT_OPTIONS = {
  mnemonic: {
    kind: 'optionalText',
    group: 'Development chain',
    placeholder: 'WORDS',
    default: null,
    doc: 'Words (BIP-39) whose accounts are funded and signed for; with --client-name hardhat or anvil those of their test chains, else the accounts cow … cow9',
  },
  derivationPath: {
    kind: 'text',
    group: 'Development chain',
    placeholder: 'PATH',
    pattern: /^m(\/\d{1,10}'?)*$/,
    default: "m/44'/60'/0'/0",
    doc: 'Path of these accounts (BIP-32), to which their number is added',
  },
  accounts: {
    kind: 'integer',
    group: 'Development chain',
    minimum: 1,
    maximum: 1000,
    default: 10,
    doc: 'How many accounts of the mnemonic there are',
  },
  balance: {
    kind: 'integer',
    group: 'Development chain',
    minimum: 0,
    maximum: 1_000_000_000,
    default: 10_000,
    doc: 'Coins (RBTC) that each account of the mnemonic is given when it has none and never sent anything',
  },
  project: {
    kind: 'optionalText',
    group: 'Development chain',
    placeholder: 'DIR',
    default: null,
    doc: 'Folder of a Hardhat, Foundry or Truffle project whose artifacts name contracts, methods and errors on the dev profile; none means the working directory, if it has a configuration file of one of them',
  },
  verbosity: {
    kind: 'choice',
    group: 'Development chain',
    values: ['auto', 'off', 'failures', 'transactions', 'calls'],
    default: 'auto',
    doc: 'What the dev profile prints of executions, each with what comes before it: failures and output of console.log, transactions, successful calls; auto is transactions on a terminal and off elsewhere',
  },
  inMemory: {
    kind: 'boolean',
    group: 'Development chain',
    default: false,
    doc: 'Begin a chain in memory, which is gone when the node stops; the data directory is not touched',
  },
  transactionGas: {
    kind: 'integer',
    group: 'Development chain',
    minimum: 0,
    maximum: 500_000_000,
    default: 0,
    doc: 'Gas that one transaction of a development chain may have, where the rules of the network give it less: from there on no other node takes its blocks; 0 follows the network',
  },
} as const satisfies OptionTable
