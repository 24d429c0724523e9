import type { OptionTable } from '../option.ts'

/** Modules that a public endpoint offers (facts/rpc.md §1.5). */
const PUBLIC_MODULES = ['eth', 'net', 'rpc', 'rsk', 'trace', 'web3']

/** Who may call what. */
export const ACCESS_OPTIONS = {
  modules: {
    kind: 'list',
    group: 'Access',
    placeholder: 'NAME,…',
    default: ({ profile }) => (profile === 'dev' ? ['*'] : PUBLIC_MODULES),
    defaultText: '* on the dev profile, else eth,net,rpc,rsk,trace,web3',
    doc: 'Modules whose methods are open, * for all; evm only ever on regtest and devnet',
  },
  disabledMethods: {
    kind: 'list',
    group: 'Access',
    placeholder: 'METHOD,…',
    default: [],
    doc: 'Methods that are closed although their module is open',
  },
  keysFile: {
    kind: 'optionalText',
    group: 'Access',
    placeholder: 'FILE',
    default: null,
    doc: 'File of API keys, read again when it changes; with it every request needs a key as last part of the path',
  },
  allowRemoteControl: {
    kind: 'boolean',
    group: 'Access',
    default: false,
    doc: 'Listen on other addresses than loopback although methods are open that change the chain or use keys',
  },
} as const satisfies OptionTable
