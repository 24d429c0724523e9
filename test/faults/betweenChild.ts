import { openChain } from '../../src/execution/openChain.ts'
import { StateIntake } from '../../src/native/snapshot.ts'
import { StateStore } from '../../src/native/stateStore.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { ChainEnvironment } from '../../src/storage/environment.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { ACTIONS, type ActionName, openPatient } from './betweenActions.ts'

/**
 * Does one thing that writes both stores of a data directory, and kills itself at one of its commits: `states` behind
 * that of the state store, `chain` behind that of the chain store, `taken` behind a piece of the states
 * of a snapshot.
 */
const [dataDir = '', action = '', point = '', nth = '1', snapshot = ''] = process.argv.slice(2)

let isArmed = false
let left = Number(nth)
const dieAt = (reached: string) => {
  if (!isArmed || reached !== point) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
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
const { take } = StateIntake.prototype
StateIntake.prototype.take = async function (this: StateIntake, piece) {
  const report = await take.call(this, piece)
  dieAt('taken')
  return report
}

if (action === 'genesis') {
  isArmed = true
  openChain({ spec: REGTEST, dataDir })
} else if (action === 'restore') {
  isArmed = true
  const source = new FolderSource(snapshot)
  await restoreSnapshot({ spec: REGTEST, dataDir, source, trust: { kind: 'anyone' } })
} else {
  const { prepare, act } = ACTIONS[action as ActionName]
  const node = openPatient(dataDir)
  const prepared = await prepare(node.core)
  isArmed = true
  await act(node.core, prepared)
}
