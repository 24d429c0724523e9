import { openChain } from '../../src/execution/openChain.ts'
import { StateStore } from '../../src/native/stateStore.ts'
import { ChainEnvironment } from '../../src/storage/environment.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { ACTIONS, type ActionName, openPatient } from './betweenActions.ts'

/**
 * Does one thing that writes both stores of a data directory, and kills itself at one of its commits: `states` behind
 * that of the state store, `chain` behind that of the chain store.
 */
const [dataDir = '', action = '', point = ''] = process.argv.slice(2)

let isArmed = false
const dieAt = (reached: string) => {
  if (isArmed && reached === point) process.kill(process.pid, 'SIGKILL')
}

const { commit } = StateStore.prototype
StateStore.prototype.commit = function (this: StateStore) {
  commit.call(this)
  dieAt('states')
}
const { transaction } = ChainEnvironment.prototype
ChainEnvironment.prototype.transaction = function <T>(
  this: ChainEnvironment,
  write: Parameters<typeof transaction<T>>[0],
): T {
  const result = transaction.call(this, write) as T
  dieAt('chain')
  return result
}

if (action === 'genesis') {
  isArmed = true
  openChain({ spec: REGTEST, dataDir })
} else {
  const { prepare, act } = ACTIONS[action as ActionName]
  const node = openPatient(dataDir)
  const prepared = await prepare(node.core)
  isArmed = true
  await act(node.core, prepared)
}
