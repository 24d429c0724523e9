import { isIP } from 'node:net'
import { HIDDEN } from '../util/hidden.ts'
import { isTimezone } from '../util/localDay.ts'
import { parseSubnet } from '../util/subnet.ts'
import { isWebOrigin } from '../util/webOrigin.ts'
import { parseCheckpoint } from './checkpoints.ts'
import { ConfigError } from './errors.ts'
import { isDevelopmentNetwork } from './networkSpec.ts'
import { networkByName } from './networks/byName.ts'
import { hasChosenHeights, networkChoice } from './networks/configured.ts'
import { type Config, flagOf } from './schema.ts'

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
    heightsConflict(config) ??
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

function accountsConflict({ mnemonic, profile, network, fleet }: Config): string | null {
  if (mnemonic === null) return null
  if (profile !== 'dev' || !isDevelopmentNetwork({ name: network }))
    return `${flagOf('mnemonic')} is for development chains: ${flagOf('network')} regtest or devnet on the dev profile`
  if (fleet.length === 0) return null
  return `${flagOf('mnemonic')} edits the state, which members of a fleet have in common: leave it or ${flagOf('fleet')} out`
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

function miningConflict({ network, mergedMining, coinbase, coinbaseSecret }: Config): string | null {
  const address = flagOf('coinbase')
  const secret = flagOf('coinbaseSecret')
  if (coinbase !== null && coinbaseSecret !== null) {
    return `${address} and ${secret} both say who gets the rewards: give one of them`
  }
  const isKnown =
    coinbase !== null || coinbaseSecret !== null || networkByName(network).mining.coinbaseSeed !== null
  if (!mergedMining || isKnown) return null
  return `${flagOf('mergedMining')} on ${network} needs ${address} or ${secret}: the rewards would be nobody's`
}

function gasPriceConflict(config: Config): string | null {
  const { stableGasPrice, gasPriceRateUrl, gasPriceRateContract } = config
  const page = flagOf('gasPriceRateUrl')
  const contract = flagOf('gasPriceRateContract')
  if (gasPriceRateUrl !== null && gasPriceRateContract !== null) {
    return `${page} and ${contract} both say where the rate of bitcoin stands: give one of them`
  }
  if (stableGasPrice > 0 && gasPriceRateUrl === null && gasPriceRateContract === null) {
    return `${flagOf('stableGasPrice')} needs a rate of bitcoin: give ${page} or ${contract}`
  }
  const { gasPriceRateMinimum: least, gasPriceRateMaximum: most } = config
  if (least <= most) return null
  return `no rate is at least ${flagOf('gasPriceRateMinimum')} ${least} and at most ${flagOf('gasPriceRateMaximum')} ${most}`
}

function operationConflict({ tlsCert, tlsKey, metricsPort, httpPort }: Config): string | null {
  if ((tlsCert === null) !== (tlsKey === null)) {
    return `${flagOf('tlsCert')} and ${flagOf('tlsKey')} belong together: give both of them`
  }
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
export function checkMember({ fleet, mining, blockTime, keysFile, peers, peer }: Config): void {
  if (fleet.length === 0) return
  if (keysFile !== null) {
    const keys = `${flagOf('keysFile')} would open this member alone: keys of a fleet are made with \`key create ${flagOf('fleet')} …\``
    throw new ConfigError('Conflict', keys)
  }
  if (!peers && peer.length === 0) {
    const why = 'members give one another their blocks as peers'
    throw new ConfigError('Conflict', `${flagOf('fleet')} needs peers: leave out --no-peers, ${why}`)
  }
  // A block of the instant mode would be made by each member for itself.
  if (!mining || blockTime > 0) return
  const advice = `give ${flagOf('blockTime')}, or --no-mining`
  throw new ConfigError('Conflict', `${flagOf('fleet')} takes no block for each transaction: ${advice}`)
}

const NATS_URL = /^(nats|tls):\/\/[^\s/?#@]+$/
const P2P_ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+)(:[0-9]{1,5})?$/

function fleetValue({ fleet, fleetP2pAddress }: Config): string | null {
  const wrong = fleet.find((url) => !NATS_URL.test(url))
  if (wrong !== undefined) {
    return `${flagOf('fleet')}: expected nats://host:port or tls://host:port without a user, got ${wrong}`
  }
  if (fleetP2pAddress === null || P2P_ADDRESS.test(fleetP2pAddress)) return null
  return `${flagOf('fleetP2pAddress')}: expected HOST or HOST:PORT, got ${fleetP2pAddress}`
}

function natsConflict(config: Config): string | null {
  const { fleetUser, fleetPassword, fleetCredentials, fleetCert, fleetKey, bootstrap } = config
  const user = flagOf('fleetUser')
  if (fleetUser !== null && fleetCredentials !== null) {
    return `${user} and ${flagOf('fleetCredentials')} both say who this member is to NATS: give one of them`
  }
  if (fleetPassword !== null && fleetUser === null) return `${flagOf('fleetPassword')} needs ${user}`
  if ((fleetCert === null) !== (fleetKey === null)) {
    return `${flagOf('fleetCert')} and ${flagOf('fleetKey')} belong together: give both of them`
  }
  if (bootstrap !== 'fleet') return null
  const advice = 'give the folder or address of one that `rhizome snapshot create` made'
  return `${flagOf('bootstrap')} fleet: fleets keep no snapshots any more: ${advice}; a folder of that name is ./fleet`
}
