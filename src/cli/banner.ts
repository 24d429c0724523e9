import { resolve } from 'node:path'
import { artifactFolders } from '../abi/projectFolders.ts'
import { isDevelopmentNetwork } from '../config/networkSpec.ts'
import type { Config } from '../config/schema.ts'
import type { RunningNode } from '../node/createNode.ts'
import { type DevelopmentAccount, mnemonicOf } from '../node/dev/developmentAccounts.ts'
import { toHex } from '../util/bytes.ts'
import { formatCoins } from '../util/coins.ts'

/** Message of `rhizome start` when the node answers. */
export function startBanner(node: RunningNode, config: Config, version: string): string {
  const scheme = config.tlsCert === null ? 'http' : 'https'
  const metadata: [string, string][] = [
    ['Network', `${node.spec.name}, chain id ${node.spec.chainId}`],
    ...forkLines(node),
    ['JSON-RPC', endpoint(scheme, node)],
    ['WebSocket', endpoint(config.tlsCert === null ? 'ws' : 'wss', node)],
    ...(config.page ? [['Page', `${endpoint(scheme, node)}/`] as [string, string]] : []),
    ...(node.monitoring === null ? [] : [['Metrics', endpoint('http', node.monitoring)] as [string, string]]),
    ['Data', config.inMemory ? 'in memory, gone when the node stops' : config.dataDir],
    ['Head', `block ${node.head}`],
    ['Mining', describeMining(config)],
    ...projectLines(config),
  ]
  if (node.restored > 0) metadata.push(['Pool', `${node.restored} transactions of the last run wait again`])
  const width = Math.max(...metadata.map(([name]) => name.length)) + 2
  return [
    `Rhizome ${version}`,
    '',
    ...metadata.map(([name, value]) => `  ${name.padEnd(width)}${value}`),
    '',
    ...warningLines(node),
    ...accountLines(node, config),
    'Ctrl-C stops the node.',
    '',
  ].join('\n')
}

function forkLines({ fork }: RunningNode): [string, string][] {
  return fork === null ? [] : [['Fork', `of block ${fork.base.number} ${fork.base.hash}, from ${fork.name}`]]
}

/** Whose names transactions and errors are shown with, on a chain to develop on. */
function projectLines({ project, profile, network, forkUrl }: Config): [string, string][] {
  if (profile !== 'dev' || !isDevelopmentNetwork({ name: network, fork: forkUrl })) return []
  const folder = resolve(project ?? '.')
  const isProject = artifactFolders(folder, project !== null).length > 0
  return [['Project', isProject ? folder : '--project DIR names contracts and errors by its artifacts']]
}

/** A warning where signatures count on a public network, too. */
function warningLines({ fork, spec }: RunningNode): string[] {
  if (fork === null || isDevelopmentNetwork({ name: spec.name })) return []
  if (fork.base.chainId !== undefined) {
    return [
      `The chain id is ${spec.chainId}, so that what is signed here is not valid on ${spec.name} itself.`,
      'Signatures without a chain id are valid on both.',
      '',
    ]
  }
  return [
    `Whatever a real key signs on this chain is valid on the network itself, ${spec.name} with chain id ${spec.chainId}:`,
    'use accounts of this node, or impersonate others.',
    '',
  ]
}

function endpoint(scheme: string, { host, port }: { readonly host: string; readonly port: number }): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function describeMining({ mining, blockTime }: Config): string {
  if (!mining) return 'off; evm_mine makes a block where the dev profile is on'
  return blockTime === 0 ? 'a block for every transaction, at once' : `a block every ${blockTime} s`
}

/** The funded accounts of a development network. Their keys are public knowledge. */
function accountLines(node: RunningNode, config: Config): string[] {
  if (config.profile !== 'dev') return []
  const { accounts } = node
  if (accounts.length === 0) return []
  const mnemonic = mnemonicOf({ ...config, network: node.spec.name })
  return [
    'Funded accounts. Everybody knows their keys: use them on this chain only.',
    ...(mnemonic === null
      ? []
      : [
          `They are those of the mnemonic "${mnemonic}" at ${config.derivationPath}/n,`,
          'funded by an edit of the state: another node refuses the blocks of this chain.',
        ]),
    '',
    ...accounts.flatMap((account, index) => accountLine(node, account, index)),
    '',
  ]
}

function accountLine(
  node: RunningNode,
  { address, privateKey }: DevelopmentAccount,
  index: number,
): string[] {
  const number = `(${index})`.padStart(5)
  return [
    `${number} ${toHex(address)}  ${formatCoins(node.balanceOf(address))} RBTC`,
    `      ${privateKey === null ? 'no known key' : `key ${toHex(privateKey)}`}`,
  ]
}
