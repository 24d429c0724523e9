import { readActivationFile } from '../activationFile.ts'
import type { ActivationHeights, ActivationTable } from '../activations.ts'
import { createNetworkSpec, type NetworkSpec } from '../networkSpec.ts'
import { networkByName } from './byName.ts'
import { devnetActivations } from './devnet.ts'
import type { NetworkName } from './names.ts'
import { regtestActivations } from './regtest.ts'

/** A network as options choose it: plain data, so that it can cross to another thread. */
export type NetworkChoice = {
  readonly network: NetworkName
  /** Of every rule, in place of those of the network; null leaves these. */
  readonly activationHeights: ActivationHeights | null
}

/** What of a configuration chooses the network. */
export type NetworkOptions = { readonly network: NetworkName; readonly activationHeights: string | null }

/** Networks whose activation heights users may choose. */
const TABLES: Readonly<Partial<Record<NetworkName, ActivationTable>>> = {
  regtest: regtestActivations,
  devnet: devnetActivations,
}

/** Whether the activation heights of the network may be others than its own. */
export function hasChosenHeights(name: NetworkName): boolean {
  return TABLES[name] !== undefined
}

/**
 * The network that a configuration chooses, with the heights of the file that it names.
 * @throws ConfigError as {@link readActivationFile}
 */
export function networkChoice({ network, activationHeights: path }: NetworkOptions): NetworkChoice {
  const table = TABLES[network]
  const activationHeights = path === null || table === undefined ? null : readActivationFile(path, table)
  return { network, activationHeights }
}

/** The network of a choice. */
export function chosenNetwork({ network, activationHeights }: NetworkChoice): NetworkSpec {
  const spec = networkByName(network)
  return activationHeights === null ? spec : createNetworkSpec(spec, { activationHeights })
}

/**
 * The network of a configuration.
 * @throws ConfigError as {@link readActivationFile}
 */
export function configuredNetwork(options: NetworkOptions): NetworkSpec {
  return chosenNetwork(networkChoice(options))
}
