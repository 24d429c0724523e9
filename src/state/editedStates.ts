import type { StateStore } from '../native/stateStore.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'

/**
 * Tells the state store which states of a development chain were edited. Only the chain store records them:
 * one transaction decides whether an edit took place. Call it when the stores are opened, and after edits
 * were undone.
 */
export function nameEditedStates(environment: ChainEnvironment, store: StateStore): void {
  store.replaceEditedRoots([...environment.entries('stateEdits')].flatMap(({ key, value }) => [key, value]))
}
