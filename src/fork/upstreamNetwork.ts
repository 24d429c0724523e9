import type { NetworkSpec } from '../config/networkSpec.ts'
import { networkByName } from '../config/networks/byName.ts'
import { hasChosenHeights } from '../config/networks/configured.ts'
import { NETWORK_NAMES, type NetworkName } from '../config/networks/names.ts'
import { UpstreamError } from './errors.ts'

/** Networks with the heights of their upgrades. */
export interface NetworkRules {
  specOf(network: NetworkName): NetworkSpec
  /** `0x` hex: the state of genesis follows from the rules, too. Asked of networks whose heights may be chosen. */
  genesisHashOf(network: NetworkName): string
  /** True when the user named heights. */
  readonly hasFile: boolean
}

/** The heights of this program's tables. */
export const STANDARD_RULES: NetworkRules = {
  specOf: networkByName,
  genesisHashOf: (network) => networkByName(network).genesis.hash,
  hasFile: false,
}

/**
 * The network of an upstream, known by its genesis first and by its chain id then.
 * @param genesisHash `0x` hex
 * @throws UpstreamError `NETWORK` with what the user is to do
 */
export function networkOf(chainId: number, genesisHash: string, rules: NetworkRules): NetworkName {
  const sameId = NETWORK_NAMES.find((name) => networkByName(name).chainId === chainId)
  // Both test networks have the same one.
  const sameGenesis = NETWORK_NAMES.filter((name) => networkByName(name).genesis.hash === genesisHash)
  const standard = sameGenesis.find((name) => name === sameId) ?? sameGenesis[0]
  if (standard !== undefined && standard !== sameId) throw otherId(chainId, standard)
  if (sameId === undefined) throw unknownId(chainId, genesisHash)
  if (!rules.hasFile) {
    if (standard !== undefined) return standard
    throw hasChosenHeights(sameId) ? otherHeights(genesisHash, sameId) : otherGenesis(genesisHash, sameId)
  }
  if (!hasChosenHeights(sameId))
    throw standard === undefined ? otherGenesis(genesisHash, sameId) : ownHeights(sameId)
  const withHeights = rules.genesisHashOf(sameId)
  if (withHeights === genesisHash) return sameId
  throw standard === undefined
    ? wrongHeights(genesisHash, sameId, withHeights)
    : needlessHeights(sameId, withHeights)
}

function refusal(message: string): UpstreamError {
  return new UpstreamError('NETWORK', message)
}

function otherId(chainId: number, name: NetworkName): UpstreamError {
  return refusal(
    `the upstream has the genesis of ${name} with chain id ${chainId}, and ${name} has ${networkByName(name).chainId}: it is a chain of its own, whose rules are not known here; name a node of ${name} with --fork-url`,
  )
}

function unknownId(chainId: number, genesisHash: string): UpstreamError {
  const known = NETWORK_NAMES.map((name) => `${name} ${networkByName(name).chainId}`).join(', ')
  return refusal(
    `the upstream has chain id ${chainId} and genesis ${genesisHash}: that is no network of which the heights of upgrades are known here; name a node of one of these with --fork-url: ${known}`,
  )
}

function otherGenesis(genesisHash: string, name: NetworkName): UpstreamError {
  return refusal(
    `the upstream has the chain id of ${name}, ${networkByName(name).chainId}, and genesis ${genesisHash}, which is not that of ${name}: its heights of upgrades are not known, and --activation-heights is for regtest and devnet; name a node of ${name} with --fork-url`,
  )
}

function ownHeights(name: NetworkName): UpstreamError {
  return refusal(
    `the upstream is ${name}, chain id ${networkByName(name).chainId}, whose heights are those of its blocks: leave out --activation-heights`,
  )
}

function otherHeights(genesisHash: string, name: NetworkName): UpstreamError {
  return refusal(
    `the upstream has the chain id of ${name}, ${networkByName(name).chainId}, and genesis ${genesisHash}, which ${name} does not have with its usual heights of upgrades: name the file of those that the upstream runs with, --activation-heights FILE`,
  )
}

function wrongHeights(genesisHash: string, name: NetworkName, withHeights: string): UpstreamError {
  return refusal(
    `the upstream has the chain id of ${name}, ${networkByName(name).chainId}, and genesis ${genesisHash}; the heights of --activation-heights give ${withHeights}: name the file of those that the upstream runs with`,
  )
}

function needlessHeights(name: NetworkName, withHeights: string): UpstreamError {
  return refusal(
    `the upstream is ${name}, chain id ${networkByName(name).chainId}, with its usual heights; those of --activation-heights give genesis ${withHeights}: leave the option out, or name the file of those that the upstream runs with`,
  )
}
