import { readActivationFile } from '../activationFile.ts'
import type { ActivationHeights, ActivationTable } from '../activations.ts'
import { createNetworkSpec, type ForkSpec, type NetworkSpec } from '../networkSpec.ts'
import { networkByName } from './byName.ts'
import { devnetActivations } from './devnet.ts'
import type { NetworkName } from './names.ts'
import { regtestActivations } from './regtest.ts'

/** A choice of a network: plain data, so that it can cross to another thread. */
export type NetworkChoice = {
  readonly network: NetworkName
  /** Activation heights of all rules that override those of the network; null for none. */
  readonly activationHeights: ActivationHeights | null
  /** Gas that one transaction may have; absent where the network says. */
  readonly transactionGas?: number
  /** The block that a development chain goes on from; absent where it does not. */
  readonly fork?: ForkSpec
}

/** The options of a configuration that choose the network. */
export type NetworkOptions = {
  readonly network: NetworkName
  readonly activationHeights: string | null
  readonly transactionGas?: number
}

/** The heights that users may override, of networks where they may. */
export const CHOSEN_HEIGHTS: Readonly<Partial<Record<NetworkName, ActivationTable>>> = {
  regtest: regtestActivations,
  devnet: devnetActivations,
}

/** True when users may change the activation heights of the network. */
export function hasChosenHeights(name: NetworkName): boolean {
  return CHOSEN_HEIGHTS[name] !== undefined
}

/**
 * The network that a configuration chooses, with the heights of the file that it names.
 * @throws ConfigError as {@link readActivationFile}
 */
export function networkChoice({
  network,
  activationHeights: path,
  transactionGas = 0,
}: NetworkOptions): NetworkChoice {
  const table = CHOSEN_HEIGHTS[network]
  const activationHeights = path === null || table === undefined ? null : readActivationFile(path, table)
  const isRaised = hasChosenHeights(network) && transactionGas > networkByName(network).minimumSequentialGas
  return { network, activationHeights, ...(isRaised ? { transactionGas } : {}) }
}

/** The network of a choice. */
export function chosenNetwork({
  network,
  activationHeights,
  transactionGas,
  fork,
}: NetworkChoice): NetworkSpec {
  const named = fork === undefined ? networkByName(network) : forkOf(networkByName(network), fork)
  const spec = activationHeights === null ? named : createNetworkSpec(named, { activationHeights })
  // What the sequential sublist has at least is what one transaction can use; its block is raised together with it.
  return transactionGas === undefined
    ? spec
    : { ...spec, minimumSequentialGas: transactionGas, jumpsGasLimit: true }
}

/**
 * The network of a configuration.
 * @throws ConfigError as {@link readActivationFile}
 */
export function configuredNetwork(options: NetworkOptions): NetworkSpec {
  return chosenNetwork(networkChoice(options))
}

/** Users move the time of a fork as they like. */
function forkOf(spec: NetworkSpec, fork: ForkSpec): NetworkSpec {
  const { chainId = spec.chainId } = fork
  return { ...spec, chainId, fork, timestamps: { ...spec.timestamps, futureLimitSeconds: null } }
}
