import { platform } from 'node:os'
import { keptStates } from '../config/keptStates.ts'
import { isDevelopmentNetwork } from '../config/networkSpec.ts'
import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import type { EnabledMethods } from '../rpc/availability.ts'
import type { NodeInfo, RpcSettings } from '../rpc/context.ts'

/** Highest version of the wire protocol that is spoken (rpc.md §3.2). */
const PROTOCOL_VERSION = 62

/** Blocks that eth_getLogs reads without a limit on the number of logs, and most logs of more (decisions.md D30). */
const LOG_BLOCKS = 2000
const LOG_COUNT = 10_000

/** Margin of eth_gasPrice over the head's minimum, in thousandths (consensus.md §9.3). */
const GAS_PRICE_FACTOR = 1100n

/** The facts of the node that clients may ask for. `version` is that of the program. */
export function nodeInfoFromConfig(config: Config, version: string): NodeInfo {
  return {
    chainId: config.chainId === 0 ? networkByName(config.network).chainId : config.chainId,
    clientVersion: clientVersion(config, version),
    protocolVersion: PROTOCOL_VERSION,
    settings: rpcSettingsFromConfig(config),
  }
}

/** The beginnings of names of clients that development tools look for. */
const NAMES_OF_OTHERS = { hardhat: 'HardhatNetwork/2.29.1', anvil: 'anvil/v1.7.1' } as const

function clientVersion({ clientName, profile }: Config, version: string): string {
  const own = `Rhizome/${version}/${platform()}/node${process.versions.node}`
  return clientName === 'rhizome' || profile !== 'dev' ? own : `${NAMES_OF_OTHERS[clientName]}/${own}`
}

/** The methods that there are under a configuration. */
export function enabledMethodsFromConfig(config: Config): EnabledMethods {
  return {
    modules: config.modules,
    disabledMethods: config.disabledMethods,
    dev: isDevelopmentNetwork({ name: config.network, fork: config.forkUrl }),
  }
}

function rpcSettingsFromConfig(config: Config): RpcSettings {
  return {
    // Whoever may send so much may try it.
    callGasCap: BigInt(Math.max(config.callGasCap, config.transactionGas)),
    estimateGasCap: BigInt(Math.max(config.estimateGasCap, config.transactionGas)),
    stateOverrides: config.stateOverrides,
    answersPending: config.pendingBlocks === 'answer',
    answersCreations: config.creationCalls === 'answer',
    revertErrors: config.revertErrors,
    beyondHead: config.beyondHead,
    safeDepth: config.safeDistance,
    finalizedDepth: config.finalizedDistance,
    logBlocks: LOG_BLOCKS,
    logCount: LOG_COUNT,
    answerBytes: config.maxResponseSize,
    gasPriceFactor: GAS_PRICE_FACTOR,
    gasPriceFloor: BigInt(config.gasPriceFloor),
    intervalUnit: config.clientName === 'anvil' ? 'seconds' : 'milliseconds',
    hosted: config.profile === 'hosted',
    keptValues: keptStates(config.history),
    keptProofs: keptStates(config.proofs),
    enabled: enabledMethodsFromConfig(config),
  }
}
