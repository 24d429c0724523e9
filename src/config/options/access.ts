import type { IntegerOption, OptionTable } from '../option.ts'

/** Modules of a public endpoint (rpc.md §1.5). */
const PUBLIC_MODULES = ['eth', 'net', 'rpc', 'rsk', 'trace', 'web3']

/** Default limit of keys: none unless the operator says so. */
const keyLimit = (doc: string): IntegerOption => ({
  kind: 'integer',
  group: 'Access',
  minimum: 0,
  maximum: 1_000_000_000_000,
  default: 0,
  doc: `${doc} of a key that names no limit of its own; 0 is no limit`,
})

/**
 * Limit of an address without a key: set on the hosted profile, so that one client cannot use the whole
 * capacity.
 */
const clientLimit = (doc: string, hosted: number): IntegerOption => ({
  kind: 'integer',
  group: 'Access',
  minimum: 0,
  maximum: 1_000_000_000_000,
  default: ({ profile }) => (profile === 'dev' ? 0 : hosted),
  defaultText: hosted === 0 ? '0' : `0 on the dev profile, else ${hosted}`,
  doc: `${doc} of an address that comes without a key (IPv6: of its first 64 bits); 0 is no limit`,
})

/** Options of access: who may call which methods, and how much. */
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
  requireKey: {
    kind: 'choice',
    group: 'Access',
    values: ['auto', 'always', 'never'],
    default: 'auto',
    doc: 'When a request needs an API key as last part of the path; auto as soon as there is a key, also a disabled one; never refuses keys that are not valid all the same',
  },
  keysFile: {
    kind: 'optionalText',
    group: 'Access',
    placeholder: 'FILE',
    default: null,
    doc: 'File of API keys, beside those of the key commands; read again when it changes',
  },
  quotaTimezone: {
    kind: 'text',
    group: 'Access',
    placeholder: 'ZONE',
    default: 'UTC',
    doc: 'Where the days of quotas and usage begin at midnight, e.g. Europe/Zurich',
  },
  usageRetention: {
    kind: 'integer',
    group: 'Access',
    minimum: 31,
    maximum: 10_000,
    default: 400,
    doc: 'Days for which the usage of keys is kept',
  },
  trustedProxies: {
    kind: 'list',
    group: 'Access',
    placeholder: 'ADDRESS,…',
    default: [],
    doc: 'Addresses and subnets of proxies whose X-Forwarded-For says where a request comes from, and X-Forwarded-Proto under which scheme',
  },
  keyRate: keyLimit('Cost units a second'),
  keyBurst: keyLimit('Cost units at once'),
  keyDailyQuota: keyLimit('Cost units a day'),
  keyConcurrency: keyLimit('Requests at once'),
  keySockets: keyLimit('WebSockets at once'),
  keySubscriptions: keyLimit('Subscriptions at once'),
  clientRate: clientLimit('Cost units a second', 200),
  clientBurst: clientLimit('Cost units at once', 1000),
  clientDailyQuota: clientLimit('Cost units a day', 0),
  clientConcurrency: clientLimit('Requests at once', 100),
  clientSockets: clientLimit('WebSockets at once', 50),
  clientSubscriptions: clientLimit('Subscriptions at once', 500),
  clientMemory: {
    kind: 'integer',
    group: 'Access',
    minimum: 0,
    maximum: 1_048_576,
    default: ({ profile }) => (profile === 'dev' ? 0 : 64),
    defaultText: '0 on the dev profile, else 64',
    doc: 'Memory for requests, filters, subscriptions, unread answers and unfinished messages of one client, a key or an address without one, in MiB; 0 is no limit',
  },
  memoryTotal: {
    kind: 'integer',
    group: 'Access',
    minimum: 0,
    maximum: 1_048_576,
    default: ({ profile }) => (profile === 'dev' ? 2048 : 512),
    defaultText: '2048 on the dev profile, else 512',
    doc: 'The same memory of all clients together, in MiB; 0 is no limit',
  },
  allowRemoteControl: {
    kind: 'boolean',
    group: 'Access',
    default: false,
    doc: 'Listen on other addresses than loopback although methods are open that change the chain or use keys',
  },
} as const satisfies OptionTable
