import type { SimulatedResult, SimulationInput } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'
import type { StateStore } from './stateStore.ts'

/** Shapes of a simulation as the addon declares them. */
export type NativeSimulation = SimulationInput
export type NativeSimulatedResult = SimulatedResult

/**
 * Executes the calls of overridden blocks, each on the state that the one before left.
 * @throws NativeError `Interrupted`, `MissingState`
 */
export function simulateNative(
  spec: NativeChainSpec,
  store: StateStore,
  input: NativeSimulation,
): NativeSimulatedResult[][] {
  return native(() => addon.simulate(spec, store.handle, input))
}
