import type { StateChecker } from '../chain/check/checkChain.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { NativeError } from '../native/errors.ts'
import type { StateStore } from '../native/stateStore.ts'
import { stateRootAfter } from '../state/stateRoot.ts'

/** The access that a check has to the states in a store. */
export function createStateChecker(spec: NetworkSpec, store: StateStore): StateChecker {
  return {
    checkStateAfter: (header) => {
      store.checkRoot(stateRootAfter(spec, store, header))
    },
    checkHead: () => {
      store.checkHead()
      store.checkLine()
      store.checkOlder()
    },
    checkLog: () => store.checkLog(),
    hasStateAfter: (header) => {
      try {
        return store.hasRoot(stateRootAfter(spec, store, header))
      } catch (error) {
        if (error instanceof NativeError && error.code === 'MissingState') return false
        throw error
      }
    },
    hasRoot: (root) => store.hasRoot(root),
  }
}
