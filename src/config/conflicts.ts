import { isIP } from 'node:net'
import { HIDDEN } from '../util/hidden.ts'
import { isTimezone } from '../util/localDay.ts'
import { parseSubnet } from '../util/subnet.ts'
import { isWebOrigin } from '../util/webOrigin.ts'
import { parseCheckpoint } from './checkpoints.ts'
import { ConfigError } from './errors.ts'
import { keptStates, neededStates } from './keptStates.ts'
import { isDevelopmentNetwork } from './networkSpec.ts'
import { networkByName } from './networks/byName.ts'
import { hasChosenHeights, networkChoice } from './networks/configured.ts'
import { type Config, flagOf, OPTIONS, type OptionKey } from './schema.ts'

/** What they say is said of the accounts of a mnemonic. */
const ACCOUNT_OPTIONS = ['accounts', 'balance', 'derivationPath'] as const
const NODE_ID = /^[0-9a-f]{128}$/i

/**
 * Rejects options that are valid individually but contradict one another, so that a node does not silently
 * deviate from its configuration.
 * @throws ConfigError `Conflict`, `InvalidValue`; what a file of activation heights is refused for
 */
export function checkConflicts(config: Config): void {
  const value =
    accessValue(config) ??
    originValue(config) ??
    secretValue(config) ??
    peerValue(config) ??
    fleetValue(config)
  if (value !== null) throw new ConfigError('InvalidValue', value)
  const reason =
    forkConflict(config) ??
    heightsConflict(config) ??
    proofsConflict(config) ??
    historyConflict(config) ??
    transactionGasConflict(config) ??
    memoryConflict(config) ??
    miningConflict(config) ??
    gasPriceConflict(config) ??
    operationConflict(config) ??
    natsConflict(config) ??
    accountsConflict(config)
  if (reason !== null) throw new ConfigError('Conflict', reason)
  // Checked now, before anything is opened.
  for (const checkpoint of config.checkpoints) parseCheckpoint(checkpoint)
  networkChoice(config)
}

function heightsConflict({ network, activationHeights }: Config): string | null {
  if (activationHeights === null || hasChosenHeights(network)) return null
  return `${flagOf('activationHeights')} is for regtest and devnet: the heights of ${network} are those of its blocks`
}

function proofsConflict(config: Config): string | null {
  const kept = keptStates(config.proofs)
  const { blocks, reason } = neededStates(config)
  if (kept === null || kept >= blocks) return null
  return `${flagOf('proofs')} blocks:${kept} keeps too little: at least ${blocks} blocks are needed, because ${reason}`
}

function historyConflict(config: Config): string | null {
  const proofs = keptStates(config.proofs)
  const history = keptStates(config.history)
  if (history === null || (proofs !== null && history >= proofs)) return null
  return `${flagOf('history')} blocks:${history} keeps values of fewer blocks than ${flagOf('proofs')} ${config.proofs} keeps tries of: it has to be as many`
}

/** The conflict of options that a fork has no use for, or needs. */
function forkConflict(config: Config): string | null {
  const { forkUrl, forkBlock, chainId, offline, profile, fleet, peer } = config
  const fork = flagOf('forkUrl')
  if (forkUrl === null) {
    if (forkBlock !== null) return `${flagOf('forkBlock')} needs ${fork}`
    if (chainId !== 0)
      return `${flagOf('chainId')} needs ${fork}: other chains have the id of their ${flagOf('network')}`
    return offline ? `${flagOf('offline')} needs ${fork}` : null
  }
  const wrong = forkUrl
    .split(',')
    .find((url) => !/^https?:\/\/./.test(url.trim()) || !URL.canParse(url.trim()))
  if (wrong !== undefined) return `${fork}: expected addresses such as https://host/path, separated by commas`
  if (profile !== 'dev') return `${fork} is for development chains: leave out ${flagOf('profile')} hosted`
  if (fleet.length > 0) return `${fork} is not for members of a fleet`
  return peer.length > 0 ? `${fork} has no peers: leave out ${flagOf('peer')}` : null
}

function accountsConflict(config: Config): string | null {
  const { mnemonic, clientName, profile, network, fleet, forkUrl } = config
  if (mnemonic === null) {
    // Which network a fork is of is not known yet.
    if (clientName !== 'rhizome' || forkUrl !== null) return null
    const idle = ACCOUNT_OPTIONS.find((key) => config[key] !== OPTIONS[key].default)
    return idle === undefined
      ? null
      : `${flagOf(idle)} needs ${flagOf('mnemonic')}, or ${flagOf('clientName')} hardhat or anvil: it is about the accounts that they fund, and those of genesis are fixed`
  }
  if (profile !== 'dev' || !isDevelopmentNetwork({ name: network, fork: forkUrl }))
    return `${flagOf('mnemonic')} is for development chains: ${flagOf('network')} regtest or devnet on the dev profile`
  if (fleet.length === 0) return null
  return `${flagOf('mnemonic')} edits the state, which members of a fleet have in common: leave it or ${flagOf('fleet')} out`
}

function transactionGasConflict({ network, transactionGas, fleet }: Config): string | null {
  if (transactionGas === 0) return null
  if (!hasChosenHeights(network)) return `${flagOf('transactionGas')} is for regtest and devnet`
  return fleet.length === 0 ? null : `${flagOf('transactionGas')} is not for members of a fleet`
}

function memoryConflict({ inMemory, network, profile, fleet, forkUrl }: Config): string | null {
  if (!inMemory) return null
  if (profile !== 'dev' || !isDevelopmentNetwork({ name: network, fork: forkUrl }) || fleet.length > 0)
    return `${flagOf('inMemory')} is for development chains: ${flagOf('network')} regtest or devnet on the dev profile, and no fleet`
  return null
}

function accessValue({ quotaTimezone, trustedProxies }: Config): string | null {
  if (!isTimezone(quotaTimezone)) {
    return `${flagOf('quotaTimezone')}: expected an IANA timezone such as Europe/Zurich, got ${quotaTimezone}`
  }
  const wrong = trustedProxies.find((proxy) => parseSubnet(proxy) === null)
  if (wrong === undefined) return null
  return `${flagOf('trustedProxies')}: expected addresses or subnets such as 10.0.0.0/8, got ${wrong}`
}

function originValue({ corsOrigin, trustedOrigins }: Config): string | null {
  const isNamed = (entry: string) => entry === 'loopback' || entry === 'extensions' || isWebOrigin(entry)
  const listed = corsOrigin === null ? [] : corsOrigin.split(',').map((entry) => entry.trim())
  const wrong = listed.find((entry) => entry !== '*' && !isNamed(entry))
  if (wrong !== undefined) return expectedOrigins('corsOrigin', ', loopback, extensions or *', wrong)
  const untrusted = trustedOrigins.find((entry) => !isNamed(entry))
  if (untrusted === undefined) return null
  return expectedOrigins('trustedOrigins', ', loopback or extensions', untrusted)
}

function expectedOrigins(option: 'corsOrigin' | 'trustedOrigins', words: string, found: string): string {
  return `${flagOf(option)}: expected origins such as https://app.example${words}, got ${found}`
}

function peerValue({ trustedPeers, p2pAddress }: Config): string | null {
  const wrong = trustedPeers.find((entry) => !NODE_ID.test(entry) && parseSubnet(entry) === null)
  if (wrong !== undefined) {
    return `${flagOf('trustedPeers')}: expected node ids of 128 hex digits, addresses or subnets, got ${wrong}`
  }
  if (p2pAddress === null || isIP(p2pAddress) !== 0) return null
  return `${flagOf('p2pAddress')}: expected an IP address, got ${p2pAddress}`
}

/** The placeholder of a secret in a shown configuration would itself be a public secret. */
function secretValue({ coinbaseSecret }: Config): string | null {
  if (coinbaseSecret !== HIDDEN) return null
  return `${flagOf('coinbaseSecret')}: expected the text itself, got ${HIDDEN}, which config show prints in its place`
}

/** Reason why two options are not given together; null when they are not. @param what both say */
function bothGiven(config: Config, one: OptionKey, other: OptionKey, what: string): string | null {
  if (config[one] === null || config[other] === null) return null
  return `${flagOf(one)} and ${flagOf(other)} both say ${what}: give one of them`
}

/** Reason why one of two options is not given alone; null when it is not. */
function oneGiven(config: Config, one: OptionKey, other: OptionKey): string | null {
  if ((config[one] === null) === (config[other] === null)) return null
  return `${flagOf(one)} and ${flagOf(other)} belong together: give both of them`
}

function miningConflict(config: Config): string | null {
  const { network, mergedMining, coinbase, coinbaseSecret } = config
  const both = bothGiven(config, 'coinbase', 'coinbaseSecret', 'who gets the rewards')
  if (both !== null) return both
  const isKnown =
    coinbase !== null || coinbaseSecret !== null || networkByName(network).mining.coinbaseSeed !== null
  if (!mergedMining || isKnown) return null
  const named = `${flagOf('coinbase')} or ${flagOf('coinbaseSecret')}`
  return `${flagOf('mergedMining')} on ${network} needs ${named}: the rewards would be nobody's`
}

function gasPriceConflict(config: Config): string | null {
  const { stableGasPrice, gasPriceRateUrl, gasPriceRateContract } = config
  const page = 'gasPriceRateUrl'
  const contract = 'gasPriceRateContract'
  const both = bothGiven(config, page, contract, 'where the rate of bitcoin stands')
  if (both !== null) return both
  if (stableGasPrice > 0 && gasPriceRateUrl === null && gasPriceRateContract === null) {
    return `${flagOf('stableGasPrice')} needs a rate of bitcoin: give ${flagOf(page)} or ${flagOf(contract)}`
  }
  const { gasPriceRateMinimum: least, gasPriceRateMaximum: most } = config
  if (least <= most) return null
  return `no rate is at least ${flagOf('gasPriceRateMinimum')} ${least} and at most ${flagOf('gasPriceRateMaximum')} ${most}`
}

function operationConflict(config: Config): string | null {
  const { metricsPort, httpPort } = config
  const one = oneGiven(config, 'tlsCert', 'tlsKey')
  if (one !== null) return one
  if (metricsPort !== 0 && metricsPort === httpPort) {
    return `${flagOf('metricsPort')} is that of the endpoint: give another one, or 0 to share it`
  }
  return null
}

/**
 * Rejects options of a member that it cannot have. Only a node that starts is asked: tools of a fleet and of its keys
 * have the defaults of a development network, too.
 * @throws ConfigError `Conflict`
 */
export function checkMember(config: Config): void {
  const reason = config.fleet.length > 0 ? memberConflict(config) : null
  if (reason !== null) throw new ConfigError('Conflict', reason)
}

function memberConflict({ mining, blockTime, keysFile, peers, peer }: Config): string | null {
  const member = flagOf('fleet')
  if (keysFile !== null)
    return `${flagOf('keysFile')} would open this member alone: keys of a fleet are made with \`key create ${member} …\``
  if (!peers && peer.length === 0)
    return `${member} needs peers: leave out --no-peers, members give one another their blocks as peers`
  // A block of the instant mode would be made by each member for itself.
  if (!mining || blockTime > 0) return null
  return `${member} takes no block for each transaction: give ${flagOf('blockTime')}, or --no-mining`
}

const NATS_URL = /^(nats|tls):\/\/[^\s/?#@]+$/
const P2P_ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+)(:[0-9]{1,5})?$/

function fleetValue({ fleet: servers, fleetP2pAddress: address }: Config): string | null {
  const wrong = servers.find((url) => !NATS_URL.test(url))
  if (wrong !== undefined)
    return `${flagOf('fleet')}: expected nats://host:port or tls://host:port without a user, got ${wrong}`
  if (address === null || P2P_ADDRESS.test(address)) return null
  return `${flagOf('fleetP2pAddress')}: expected HOST or HOST:PORT, got ${address}`
}

function natsConflict(config: Config): string | null {
  const { fleetUser: user, fleetPassword: password, bootstrap } = config
  const conflict =
    bothGiven(config, 'fleetUser', 'fleetCredentials', 'who this member is to NATS') ??
    oneGiven(config, 'fleetCert', 'fleetKey')
  if (conflict !== null) return conflict
  if (password !== null && user === null) return `${flagOf('fleetPassword')} needs ${flagOf('fleetUser')}`
  if (bootstrap !== 'fleet') return null
  const advice = 'give the folder or address of one that `rhizome snapshot create` made'
  return `${flagOf('bootstrap')} fleet: fleets keep no snapshots any more: ${advice}; a folder of that name is ./fleet`
}
